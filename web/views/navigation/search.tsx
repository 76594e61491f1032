import { useRef, useState } from "preact/hooks";
import { narrowOf, termsOfSearch } from "../../lib/address.ts";
import { currentState } from "../../session.ts";
import { goToNarrow } from "./router.ts";

const operators: readonly { text: string; description: string }[] = [
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

interface Choice {
  text: string;
  description: string;
}

/** Suggestions for the last word of the search. */
export function choicesFor(text: string): Choice[] {
  const [, before = "", last = ""] = /^(.*?)(\S*)$/.exec(text) ?? [];
  const minus = last.startsWith("-") ? "-" : "";
  const word = last.slice(minus.length).toLowerCase();
  const completed = (choice: string) => `${before}${minus}${choice}`;
  const { channels, users } = currentState();
  const value = /^(channel|stream|sender|dm|dm-including):(.*)$/.exec(word);
  if (value) {
    const [, operator = "", query = ""] = value;
    if (operator === "channel" || operator === "stream")
      return [...channels.values()]
        .filter(({ name, is_archived }) => !is_archived && name.toLowerCase().includes(query))
        .slice(0, 8)
        .map(({ name }) => ({
          text: completed(`${operator}:${name.includes(" ") ? `"${name}"` : name} `),
          description: "channel",
        }));
    return [...users.values()]
      .filter(({ full_name, email }) => `${full_name} ${email}`.toLowerCase().includes(query))
      .slice(0, 8)
      .map(({ full_name, email }) => ({ text: completed(`${operator}:${email} `), description: full_name }));
  }
  return operators
    .filter((operator) => operator.text.startsWith(word))
    .slice(0, text === "" ? 13 : 6)
    .map(({ text: operator, description }) => ({ text: completed(operator), description }));
}

export function SearchBar() {
  const [text, setText] = useState("");
  const [open, setOpen] = useState(false);
  const [chosen, setChosen] = useState(-1);
  const field = useRef<HTMLInputElement>(null);
  const choices = open ? choicesFor(text) : [];
  const accept = (choice: Choice) => {
    setText(choice.text);
    setChosen(-1);
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
        const choice = choices[chosen];
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
        aria-activedescendant={choices[chosen] && `choice-${chosen}`}
        placeholder="Search"
        autocomplete="off"
        value={text}
        onFocus={() => setOpen(true)}
        onBlur={() => setTimeout(() => setOpen(false), 150)}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setChosen(-1);
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
          setChosen((chosen + offset + choices.length) % choices.length);
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
              aria-selected={index === chosen}
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
