import { t } from "../../base/languages/language.ts";
import { dayPeriods, hourCycle } from "../../base/lib/time.ts";

/**
 * Fields for a day and a time in the person's own clock. The browser's own field for times follows the clock of the device
 * instead of the setting.
 */

const twoDigits = (value: number) => String(value).padStart(2, "0");

/** The value of a `date` field. */
const dayOf = (time: Date) =>
  `${String(time.getFullYear()).padStart(4, "0")}-${twoDigits(time.getMonth() + 1)}-${twoDigits(time.getDate())}`;

const minuteStep = 5;
const minutes = Array.from({ length: 60 / minuteStep }, (_, index) => index * minuteStep);

export function TimeFields({
  time,
  mayBePast,
  onChange,
}: {
  time: Date;
  mayBePast: boolean;
  onChange: (time: Date) => void;
}) {
  const change = (edit: (changed: Date) => void) => {
    const changed = new Date(time);
    edit(changed);
    if (!Number.isNaN(changed.getTime())) onChange(changed);
  };
  const hour = time.getHours();
  const has24Hours = hourCycle.value === 24;
  const half = Math.floor(hour / 12) * 12;
  const hours = Array.from({ length: hourCycle.value }, (_, index) => (has24Hours ? index : half + index));
  const hourName = (value: number) => (has24Hours ? twoDigits(value) : String(value % 12 || 12));
  return (
    <>
      <input
        type="date"
        required
        aria-label={t("Day")}
        min={mayBePast ? undefined : dayOf(new Date())}
        value={dayOf(time)}
        onChange={(event) => {
          const [year = 0, month = 1, day = 1] = event.currentTarget.value.split("-").map(Number);
          if (year > 0) change((changed) => changed.setFullYear(year, month - 1, day));
        }}
      />
      <span class="clock">
        <select
          aria-label={t("Hour")}
          value={hour}
          onChange={(event) => {
            const chosen = Number(event.currentTarget.value);
            change((changed) => changed.setHours(chosen));
          }}
        >
          {hours.map((value) => (
            <option key={value} value={value}>
              {hourName(value)}
            </option>
          ))}
        </select>
        <span aria-hidden="true">:</span>
        <select
          aria-label={t("Minute")}
          value={time.getMinutes()}
          onChange={(event) => {
            const chosen = Number(event.currentTarget.value);
            change((changed) => changed.setMinutes(chosen));
          }}
        >
          {minutes.map((value) => (
            <option key={value} value={value}>
              {twoDigits(value)}
            </option>
          ))}
        </select>
        {!has24Hours && (
          <select
            aria-label={t("AM or PM")}
            value={half}
            onChange={(event) => {
              const chosen = Number(event.currentTarget.value);
              change((changed) => changed.setHours(chosen + (hour % 12)));
            }}
          >
            {dayPeriods.value.map((name, index) => (
              <option key={name} value={index * 12}>
                {name}
              </option>
            ))}
          </select>
        )}
      </span>
    </>
  );
}
