import { useId, useRef, useState } from "preact/hooks";
import { matcher } from "../../lib/find.ts";
import { Suggestions } from "./floating.tsx";

/** A field with a list of choices that typing narrows. */

export interface Choice<Value> {
  value: Value;
  name: string;
  detail?: string;
}

const maxChoices = 50;

/** The choices whose names match a text, the best match first; the order stays among equals. */
function matching<Value>(choices: readonly Choice<Value>[], query: string): Choice<Value>[] {
  const matchOf = matcher(query);
  return choices
    .flatMap((choice) => {
      const match = matchOf(choice.name);
      return match === undefined ? [] : [{ choice, match }];
    })
    .sort((a, b) => a.match - b.match)
    .slice(0, maxChoices)
    .map(({ choice }) => choice);
}

export function Combobox<Value>({
  label,
  text,
  placeholder,
  choices,
  onChoose,
  onText,
  maxLength,
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
  maxLength?: number;
  class?: string;
}) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  /** What was typed since the field has the focus; undefined while the list is closed. */
  const [query, setQuery] = useState<string>();
  const [chosenIndex, setChosenIndex] = useState(0);
  const found = query === undefined ? [] : matching(choices(), query);
  const close = () => setQuery(undefined);
  const open = (typed: string) => {
    setQuery(typed);
    // A text that can be entered is not replaced by the first choice.
    setChosenIndex(onText ? -1 : 0);
  };
  const choose = ({ value }: Choice<Value>) => {
    close();
    onChoose(value);
  };
  return (
    <div class={`anchored combobox ${rest.class ?? ""}`}>
      <input
        ref={field}
        role="combobox"
        aria-label={label}
        aria-autocomplete="list"
        aria-expanded={found.length > 0}
        aria-controls={found.length > 0 ? id : undefined}
        aria-activedescendant={found[chosenIndex] && `${id}-${chosenIndex}`}
        autocomplete="off"
        dir="auto"
        placeholder={placeholder}
        maxLength={maxLength}
        value={onText ? text : (query ?? text)}
        onFocus={() => {
          field.current?.select();
          open("");
        }}
        onClick={() => query === undefined && open("")}
        onBlur={close}
        onInput={({ currentTarget: { value } }) => {
          onText?.(value);
          open(value);
        }}
        onKeyDown={(event) => {
          const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
          const chosen = found[chosenIndex];
          if (step !== 0 && query === undefined) open("");
          else if (step !== 0 && found.length > 0)
            setChosenIndex((Math.max(chosenIndex, step - 1) + step + found.length) % found.length);
          else if (event.key === "Enter" && chosen && !event.isComposing) choose(chosen);
          else if (event.key === "Escape" && found.length > 0) {
            event.stopPropagation();
            close();
          } else return;
          event.preventDefault();
        }}
      />
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
