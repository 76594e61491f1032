import { t } from "../../base/languages/language.ts";
import { CheckBox } from "../../parts/fields/form.tsx";

/** Which of an integration's events are posted. */
export interface EventFilter {
  mode: "all" | "only" | "exclude";
  /** The chosen events; of no meaning if all are posted. */
  events: readonly string[];
}

export const allEvents: EventFilter = { mode: "all", events: [] };

/** The filter as parameters of the integration's URL. */
export const filterParameters = ({ mode, events }: EventFilter): Record<string, string> =>
  mode === "all" || events.length === 0 ? {} : { [`${mode}_events`]: JSON.stringify(events) };

/** Chooses all events, or some by check boxes. */
export function EventFilterField({
  events,
  filter,
  onChange,
}: {
  events: readonly string[];
  filter: EventFilter;
  onChange: (filter: EventFilter) => void;
}) {
  const toggle = (event: string, isChosen: boolean) =>
    onChange({ ...filter, events: events.filter((one) => (one === event ? isChosen : filter.events.includes(one))) });
  return (
    <>
      <label>
        {t("Events")}
        <select
          value={filter.mode}
          onChange={({ currentTarget }) => onChange({ ...filter, mode: currentTarget.value as EventFilter["mode"] })}
        >
          <option value="all">{t("All of them")}</option>
          <option value="only">{t("Only selected")}</option>
          <option value="exclude">{t("All except selected")}</option>
        </select>
      </label>
      {filter.mode !== "all" && (
        <fieldset>
          <legend>{filter.mode === "only" ? t("Events to post") : t("Events not to post")}</legend>
          <div class="scroll-list event-choices">
            {events.map((event) => (
              <CheckBox
                key={event}
                label={event}
                checked={filter.events.includes(event)}
                onChange={(isChosen) => toggle(event, isChosen)}
              />
            ))}
          </div>
        </fieldset>
      )}
    </>
  );
}
