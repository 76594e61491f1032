import { useRef, useState } from "preact/hooks";
import { narrowOf, termsOfSearch } from "../../lib/address.ts";
import { currentState } from "../../session.ts";
import { goToNarrow } from "./router.ts";

interface Choice {
  /** The text of the search after the choice. */
  text: string;
  description: string;
}

const maxChoices = 8;
const maxOperators = 6;

const operators: readonly Choice[] = [
  { text: "channel:", description: "messages in a channel" },
  { text: "topic:", description: "messages in a topic" },
  { text: "sender:", description: "messages that somebody sent (by e-mail address)" },
  { text: "dm:", description: "a direct conversation (by e-mail addresses)" },
  { text: "has:link", description: "messages with a link" },
  { text: "has:image", description: "messages with a picture" },
  { text: "has:attachment", description: "messages with a file" },
  { text: "has:reaction", description: "messages that somebody reacted to" },
  { text: "is:starred", description: "starred messages" },
  { text: "is:mentioned", description: "messages that mention you" },
  { text: "is:unread", description: "unread messages" },
  { text: "is:followed", description: "messages in topics that you follow" },
  { text: "is:resolved", description: "messages in resolved topics" },
];

/** Suggestions for the last word of the search. */
function choicesFor(text: string): Choice[] {
  const [, before = "", lastWord = ""] = /^(.*?)(\S*)$/.exec(text) ?? [];
  const minus = lastWord.startsWith("-") ? "-" : "";
  const word = lastWord.slice(minus.length).toLowerCase();
  const withLastWord = (choice: string) => `${before}${minus}${choice}`;
  const { channels, users } = currentState();
  const operatorMatch = /^(channel|stream|sender|dm|dm-including):(.*)$/.exec(word);
  if (operatorMatch) {
    const [, operator = "", query = ""] = operatorMatch;
    if (operator === "channel" || operator === "stream")
      return [...channels.values()]
        .filter(({ name, is_archived }) => !is_archived && name.toLowerCase().includes(query))
        .slice(0, maxChoices)
        .map(({ name }) => ({
          text: withLastWord(`${operator}:${name.includes(" ") ? `"${name}"` : name} `),
          description: "channel",
        }));
    return [...users.values()]
      .filter(({ full_name, email }) => `${full_name} ${email}`.toLowerCase().includes(query))
      .slice(0, maxChoices)
      .map(({ full_name, email }) => ({ text: withLastWord(`${operator}:${email} `), description: full_name }));
  }
  return operators
    .filter((operator) => operator.text.startsWith(word))
    .slice(0, text === "" ? operators.length : maxOperators)
    .map(({ text: operator, description }) => ({ text: withLastWord(operator), description }));
}

export function SearchBar() {
  const [text, setText] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [chosenIndex, setChosenIndex] = useState(-1);
  const field = useRef<HTMLInputElement>(null);
  const choices = isOpen ? choicesFor(text) : [];
  const accept = (choice: Choice) => {
    setText(choice.text);
    setChosenIndex(-1);
    field.current?.focus();
  };
  const search = () => {
    const channelIdOf = (name: string) =>
      [...currentState().channels.values()].find((channel) => channel.name.toLowerCase() === name.toLowerCase())
        ?.stream_id;
    const terms = termsOfSearch(text.trim(), channelIdOf);
    if (terms.length === 0) return;
    setOpen(false);
    field.current?.blur();
    goToNarrow(narrowOf(terms));
  };
  return (
    <form
      class="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        const choice = choices[chosenIndex];
        if (choice) accept(choice);
        else search();
      }}
    >
      <input
        ref={field}
        id="search"
        type="search"
        aria-label="Search messages"
        aria-controls={choices.length > 0 ? "search-choices" : undefined}
        aria-activedescendant={choices[chosenIndex] && `choice-${chosenIndex}`}
        placeholder="Search"
        autocomplete="off"
        value={text}
        onFocus={() => setOpen(true)}
        // Delayed, so that a choice that takes the focus is not removed before it is chosen.
        onBlur={() => setTimeout(() => setOpen(false), 150)}
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
      {choices.length > 0 && (
        <ul class="suggestions below" id="search-choices" role="listbox" aria-label="Search suggestions">
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
              <strong>{choice.text}</strong> <span class="quiet">{choice.description}</span>
            </li>
          ))}
        </ul>
      )}
    </form>
  );
}
