import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../base/languages/language.ts";
import { intervalOf } from "../base/lib/dates.ts";
import { narrowOf, termsOfSearch, textOfTerms } from "../navigation/address.ts";
import { goToNarrow, route } from "../navigation/router.ts";
import { tryTo } from "../session/toasts.ts";
import type { Term } from "../state/narrow.ts";
import type { Choice } from "./search-choices.ts";
import { names } from "./search-names.ts";

/** What the search suggests; loaded when the box is first used. */
const help = signal<typeof import("./search-choices.ts").searchHelp | undefined>(undefined);
async function loadHelp() {
  help.value ??= (await import("./search-choices.ts")).searchHelp;
  return help.value;
}

/** Whether a term says where to begin, rather than which messages to show: at a message, or at a date. */
const isNear = ({ operator, operand, negated }: Term) =>
  operator === "near" && !negated && (/^\d{1,15}$/.test(String(operand)) || intervalOf(String(operand)) !== undefined);
const everywhere: readonly Term[] = [{ operator: "in", operand: "all" }];

const textOfSearch = (terms: readonly Term[], near: number | undefined) =>
  textOfTerms(near === undefined ? terms : [...terms, { operator: "near", operand: String(near) }], names);

export function SearchBar() {
  const [text, setText] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [chosenIndex, setChosenIndex] = useState(-1);
  const field = useRef<HTMLInputElement>(null);
  const choices = (isOpen && help.value?.choicesFor(text)) || [];
  const [before = "", lastWord = ""] = help.value?.splitLastWord(text) ?? [];
  const note = isOpen ? help.value?.noteOn(lastWord) : undefined;
  const view = route.value;
  // The box shows the search that the page shows, also after going back.
  useEffect(() => {
    if (document.activeElement === field.current) return;
    setText(view.kind === "narrow" && view.narrow.kind === "search" ? textOfSearch(view.narrow.terms, view.near) : "");
  }, [view]);
  const accept = (choice: Choice) => {
    setText(choice.text);
    setChosenIndex(-1);
    field.current?.focus();
  };
  const search = () => {
    const terms = termsOfSearch(text.trim(), names);
    if (terms.length === 0) return;
    setOpen(false);
    field.current?.blur();
    const near = terms.find(isNear);
    const others = terms.filter((term) => !isNear(term));
    const shown = others.length > 0 ? others : everywhere;
    const date = String(near?.operand ?? "");
    const show = (id: number | undefined) => goToNarrow(narrowOf(shown), id);
    if (date.includes("-")) void tryTo(async () => show(await (await loadHelp()).firstMessageFrom(date, shown)));
    else show(near && Number(date));
  };
  return (
    <form
      class="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        // Without a network, the page may not have the suggestions.
        const loaded = loadHelp().catch(() => undefined);
        void loaded.then((suggestions) => {
          const shown = suggestions?.choicesFor(text) ?? [];
          const choice = shown[chosenIndex] ?? suggestions?.impliedChoice(text, shown);
          if (choice) accept(choice);
          else search();
        });
      }}
    >
      <input
        ref={field}
        id="search"
        type="text"
        role="combobox"
        aria-label={t("Search messages")}
        aria-autocomplete="list"
        aria-expanded={choices.length > 0}
        aria-controls={choices.length > 0 ? "search-choices" : undefined}
        aria-activedescendant={choices[chosenIndex] && `choice-${chosenIndex}`}
        placeholder={t("Search")}
        autocomplete="off"
        value={text}
        onFocus={() => {
          setOpen(true);
          loadHelp().catch(() => undefined);
        }}
        // Delayed, so that a choice that takes the focus is not removed before it is chosen.
        onBlur={() => setTimeout(() => document.activeElement !== field.current && setOpen(false), 150)}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setChosenIndex(-1);
          setOpen(true);
        }}
        onKeyDown={(event) => {
          if (event.key === "Escape") {
            setOpen(false);
            field.current?.blur();
          }
          if (choices.length === 0 || (event.key !== "ArrowDown" && event.key !== "ArrowUp")) return;
          event.preventDefault();
          const offset = event.key === "ArrowDown" ? 1 : -1;
          setChosenIndex((chosenIndex + offset + choices.length) % choices.length);
        }}
      />
      {(choices.length > 0 || note) && (
        <div class="suggestions below">
          {note && (
            <p class="quiet small" id="search-note" role="status">
              {note}
            </p>
          )}
          {choices.length > 0 && (
            <ul id="search-choices" role="listbox" aria-label={t("Search suggestions")}>
              {choices.map((choice, index) => (
                <li
                  key={choice.text}
                  id={`choice-${index}`}
                  role="option"
                  tabIndex={-1}
                  aria-selected={index === chosenIndex}
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={() => accept(choice)}
                >
                  <strong>{choice.text.slice(before.length)}</strong> <span class="quiet">{choice.description}</span>
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </form>
  );
}
