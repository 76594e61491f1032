import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { t } from "../../base/languages/language.ts";
import { fullTime, timeOfDay } from "../../base/lib/time.ts";
import { Dialog } from "../parts.tsx";
import { Form, useOneAtATime } from "./form.tsx";
import { TimeFields } from "./time-fields.tsx";

/** The dialog that chooses a time, in the future if not told otherwise. */

const toSeconds = (date: Date) => Math.floor(date.getTime() / 1000);

/** Suggested times, in UNIX seconds. */
function suggestedTimes(now = new Date()): { label: string; seconds: number }[] {
  const at = (name: string, days: number, hour: number) => {
    const day = new Date(now);
    day.setDate(day.getDate() + days);
    day.setHours(hour, 0, 0, 0);
    const seconds = toSeconds(day);
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
const stepMs = 5 * 60 * 1000;

/** In an hour, at the next time that the fields offer. */
const firstChoice = () => new Date(Math.ceil((Date.now() + hourMs) / stepMs) * stepMs);

export function TimeDialog({
  title,
  mayBePast = false,
  disabled = false,
  onPick,
  onClose,
  children,
}: {
  title: string;
  mayBePast?: boolean;
  /** Whether what else the dialog asks for cannot be saved as it is. */
  disabled?: boolean;
  onPick: (unixSeconds: number) => Promise<void>;
  onClose: () => void;
  /** What else the dialog asks for. */
  children?: ComponentChildren;
}) {
  const [time, setTime] = useState(firstChoice);
  const oneAtATime = useOneAtATime();
  const seconds = toSeconds(time);
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <ul class="choices">
        {suggestedTimes().map(({ label, seconds }) => (
          <li key={label}>
            <button type="button" disabled={disabled} onClick={() => void oneAtATime(() => onPick(seconds))}>
              {label}
            </button>
          </li>
        ))}
      </ul>
      <Form
        submit={t("Choose this time")}
        disabled={disabled}
        save={async () => {
          if (!mayBePast && time.getTime() <= Date.now()) throw new Error(t("That time has passed."));
          await oneAtATime(() => onPick(seconds));
        }}
      >
        <fieldset class="time-fields">
          <legend>{t("At a custom time")}</legend>
          <TimeFields time={time} mayBePast={mayBePast} onChange={setTime} />
        </fieldset>
        <p class="quiet small" aria-live="polite">
          {fullTime(seconds)}
        </p>
      </Form>
    </Dialog>
  );
}
