import { useState } from "preact/hooks";
import { t } from "../../languages/language.ts";
import { timeOfDay } from "../../lib/time.ts";
import { FormButtons } from "../parts/form.tsx";
import { Dialog } from "../parts/parts.tsx";

/** The dialog that chooses when a message is sent. */

/** Suggested times for scheduled messages, in UNIX seconds. */
function suggestedTimes(now = new Date()): { label: string; seconds: number }[] {
  const at = (name: string, days: number, hour: number) => {
    const day = new Date(now);
    day.setDate(day.getDate() + days);
    day.setHours(hour, 0, 0, 0);
    const seconds = Math.floor(day.getTime() / 1000);
    return { label: t("{day}, {time}", { day: name, time: timeOfDay(seconds) }), seconds };
  };
  const daysToMonday = ((8 - now.getDay()) % 7) + (now.getDay() === 1 ? 7 : 0);
  return [
    ...(now.getHours() < 12 ? [at(t("This afternoon"), 0, 13)] : []),
    ...(now.getHours() < 17 ? [at(t("This evening"), 0, 18)] : []),
    at(t("Tomorrow morning"), 1, 9),
    at(t("Tomorrow afternoon"), 1, 13),
    ...(daysToMonday > 1 ? [at(t("Monday morning"), daysToMonday, 9)] : []),
  ];
}

const hourMs = 60 * 60 * 1000;

/** The value of a `datetime-local` field. */
const toFieldValue = (date: Date) =>
  new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

export function SendLater({
  onPick,
  onClose,
  title = t("Send later"),
}: {
  onPick: (unixSeconds: number) => void;
  onClose: () => void;
  title?: string;
}) {
  const [customTime, setCustomTime] = useState(toFieldValue(new Date(Date.now() + hourMs)));
  return (
    <Dialog title={title} onClose={onClose}>
      <ul class="choices">
        {suggestedTimes().map(({ label, seconds }) => (
          <li key={label}>
            <button type="button" onClick={() => onPick(seconds)}>
              {label}
            </button>
          </li>
        ))}
      </ul>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          onPick(Math.floor(new Date(customTime).getTime() / 1000));
        }}
      >
        <label>
          {t("At a time of your choice")}
          <input
            type="datetime-local"
            required
            min={toFieldValue(new Date())}
            value={customTime}
            onInput={(event) => setCustomTime(event.currentTarget.value)}
          />
        </label>
        <FormButtons submit={t("Choose this time")} />
      </form>
    </Dialog>
  );
}
