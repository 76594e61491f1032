import type { ComponentChildren, ComponentProps } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { compareTexts, t } from "../../base/languages/language.ts";
import { matching, named } from "../../base/lib/find.ts";
import { state } from "../../session/store.ts";
import { toast } from "../../session/toasts.ts";
import type { User } from "../../state/model.ts";
import { Suggestions } from "../floating.tsx";
import { Limit } from "./limit.tsx";

/** A field with a list of choices that typing narrows. */

export interface Choice<Value> {
  value: Value;
  name: string;
  detail?: string;
}

const maxChoices = 50;

export function Combobox<Value>({
  label,
  text,
  placeholder,
  choices,
  onChoose,
  onText,
  onUnknown,
  max,
  inputId,
  disabled,
  savesAtOnce = false,
  ...rest
}: {
  label: string;
  /** What the field shows while nobody types in it. */
  text: string;
  placeholder?: string;
  choices: () => readonly Choice<Value>[];
  onChoose: (value: Value) => void;
  /** Set if the text itself is the value: any text can be entered then. */
  onText?: (text: string) => void;
  /** Called when the field is left with a text that no choice has. */
  onUnknown?: (text: string) => void;
  /** The maximum number of code points of a text. */
  max?: number;
  /** The ID of the field, if a `label` element names it. */
  inputId?: string;
  disabled?: boolean;
  /** Whether a choice is saved at once: leaving the field then takes only a name that was typed in full. */
  savesAtOnce?: boolean;
  class?: string;
}) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  /** What was typed since the field has the focus; undefined while the list is closed. */
  const [query, setQuery] = useState<string>();
  const [chosenIndex, setChosenIndex] = useState(-1);
  /** The choices for the query. Once there are any they stay as they are: none moves under the highlight or the pointer. */
  const offered = useRef<Choice<Value>[]>([]);
  if (query !== undefined && offered.current.length === 0) {
    offered.current = matching(choices(), query, ({ name }) => name).slice(0, maxChoices);
  }
  const found = query === undefined ? [] : offered.current;
  const close = () => setQuery(undefined);
  const open = (typed: string) => {
    offered.current = [];
    setQuery(typed);
    // Nobody asked for the first choice yet who typed nothing; and it does not replace a text that can be entered.
    setChosenIndex(onText || typed.trim() === "" ? -1 : 0);
  };
  const choose = ({ value }: Choice<Value>) => {
    close();
    onChoose(value);
  };
  /** Takes what is highlighted, or was typed in full: what was typed is not lost without a word. */
  const leave = () => {
    const typed = query?.trim() ?? "";
    const chosen = savesAtOnce ? named(found, typed, ({ name }) => name) : found[chosenIndex];
    if (chosen) return choose(chosen);
    close();
    if (typed && (savesAtOnce || found.length === 0)) onUnknown?.(typed);
  };
  return (
    <div
      class={`anchored combobox ${rest.class ?? ""}`}
      // A press on the edge or the scrollbar of the list does not leave the field.
      onMouseDown={(event) => event.target !== field.current && event.preventDefault()}
    >
      <input
        ref={field}
        role="combobox"
        id={inputId}
        disabled={disabled === true}
        aria-label={inputId ? undefined : label}
        aria-autocomplete="list"
        aria-expanded={found.length > 0}
        aria-controls={found.length > 0 ? id : undefined}
        aria-activedescendant={found[chosenIndex] && `${id}-${chosenIndex}`}
        autocomplete="off"
        dir="auto"
        // What is chosen stays to be read while the list is open.
        placeholder={text || placeholder}
        value={onText ? text : (query ?? text)}
        onFocus={() => {
          // The window has the focus again.
          if (query !== undefined) return;
          field.current?.select();
          open("");
        }}
        onClick={() => query === undefined && open("")}
        onBlur={() => {
          // The field keeps the focus while another window has it, and is not left if it is removed.
          if (field.current && field.current !== document.activeElement) leave();
        }}
        onInput={({ currentTarget: { value } }) => {
          onText?.(value);
          open(value);
        }}
        onKeyDown={(event) => {
          const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
          const chosen = found[chosenIndex];
          if (step !== 0 && query === undefined) open("");
          else if (step !== 0 && found.length > 0)
            setChosenIndex((Math.max(chosenIndex, step < 0 ? 0 : -1) + step + found.length) % found.length);
          else if (event.key === "Enter" && chosen && !event.isComposing) choose(chosen);
          else if (event.key === "Escape" && found.length > 0) {
            event.stopPropagation();
            close();
          } else {
            // Before the focus moves, so that it goes to the topic if the choice of a channel shows its field.
            if (event.key === "Tab" && !event.isComposing) leave();
            return;
          }
          event.preventDefault();
        }}
      />
      <Limit text={text} max={max} />
      {found.length > 0 && (
        <Suggestions id={id} label={label} choices={found} chosenIndex={chosenIndex} onChoose={choose}>
          {({ name, detail }) => (
            <>
              <strong>{name}</strong>
              {detail && <span class="quiet"> {detail}</span>}
            </>
          )}
        </Suggestions>
      )}
    </div>
  );
}

/** A combobox below its label, as a field of a form. */
export function ComboboxField<Value>({
  note,
  ...combobox
}: ComponentProps<typeof Combobox<Value>> & { note?: ComponentChildren }) {
  const inputId = useId();
  return (
    <div class="field">
      <label for={inputId}>
        <span>
          {combobox.label}
          {note}
        </span>
      </label>
      <Combobox {...combobox} inputId={inputId} savesAtOnce />
    </div>
  );
}

/** Those who are active among users, as choices. */
export const peopleChoices = (users: Iterable<User>, includes: (user: User) => boolean): Choice<number>[] =>
  [...users]
    .filter((user) => user.is_active && includes(user))
    .sort((a, b) => compareTexts(a.full_name, b.full_name))
    .map(({ user_id: value, full_name: name, delivery_email }) => ({
      value,
      name,
      ...(delivery_email && { detail: delivery_email }),
    }));

/** A field that adds one of the people and bots to something. */
export const PersonCombobox = ({
  label,
  includes,
  onChoose,
}: {
  label: string;
  /** Whether a user who is active is offered. */
  includes: (user: User) => boolean;
  onChoose: (userId: number) => void;
}) => (
  <Combobox
    savesAtOnce
    label={label}
    placeholder={t("Add someone …")}
    text=""
    choices={() => peopleChoices(state.value?.users.values() ?? [], includes)}
    onChoose={onChoose}
    onUnknown={(name) => toast(t("Nobody is called “{name}”.", { name }))}
  />
);
