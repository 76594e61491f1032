import { useEffect, useRef, useState } from "preact/hooks";
import { narrowOf, type SearchNames, termsOfSearch, textOfTerms } from "../../lib/address.ts";
import { matcher } from "../../lib/find.ts";
import { currentState } from "../../session.ts";
import { termsOf } from "../../state/narrow.ts";
import { needTopics, topicsByChannel } from "./channel-topics.ts";
import { goToNarrow, route } from "./router.ts";

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
  { text: "dm-including:", description: "direct conversations with somebody (by e-mail address)" },
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

const names: SearchNames = {
  channelIdOf: (name) =>
    [...currentState().channels.values()].find((channel) => channel.name.toLowerCase() === name.toLowerCase())
      ?.stream_id,
  channelNameOf: (id) => currentState().channels.get(id)?.name,
  userIdOf: (email) =>
    [...currentState().users.values()].find(
      (user) => user.email.toLowerCase() === email.toLowerCase() || user.delivery_email === email,
    )?.user_id,
  emailOf: (userId) => currentState().users.get(userId)?.email,
};

/** The topics that `topic:` suggests, newest first: those of the channel that the search names, else of all that are known. */
function topicNames(before: string): string[] {
  const channelId = termsOfSearch(before, names).find(({ operator }) => operator === "channel")?.operand;
  if (typeof channelId === "number") needTopics(channelId);
  const known =
    typeof channelId === "number" ? [topicsByChannel.value.get(channelId)] : [...topicsByChannel.value.values()];
  const topics = known.flatMap((topics) => [...(topics?.values() ?? [])]).sort((a, b) => b.maxId - a.maxId);
  return [
    ...new Set(topics.flatMap(({ conversation }) => (conversation.kind === "topic" ? [conversation.topic] : []))),
  ].filter((topic) => topic !== "");
}

/** Suggestions for the last word of the search. */
function choicesFor(text: string): Choice[] {
  // A value in quotes may have spaces.
  const [, before = "", lastWord = ""] = /^(.*?)(-?[a-z-]+:"[^"]*|\S*)$/.exec(text) ?? [];
  const minus = lastWord.startsWith("-") ? "-" : "";
  const word = lastWord.slice(minus.length).toLowerCase();
  const withLastWord = (choice: string) => `${before}${minus}${choice}`;
  const { channels, users } = currentState();
  const topicQuery = /^topic:"?(.*)$/.exec(word)?.[1];
  if (topicQuery !== undefined) {
    const matchOf = matcher(topicQuery);
    return topicNames(before)
      .filter((topic) => matchOf(topic) !== undefined)
      .slice(0, maxChoices)
      .map((topic) => ({
        text: withLastWord(`topic:${/[\s"]/.test(topic) ? `"${topic}"` : topic} `),
        description: "topic",
      }));
  }
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
  const view = route.value;
  // The box shows the search that the page shows, also after going back.
  useEffect(() => {
    if (document.activeElement === field.current) return;
    setText(view.kind === "narrow" && view.narrow.kind === "search" ? textOfTerms(termsOf(view.narrow), names) : "");
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
        type="text"
        role="combobox"
        aria-label="Search messages"
        aria-autocomplete="list"
        aria-expanded={choices.length > 0}
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
