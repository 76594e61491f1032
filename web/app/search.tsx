import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../base/languages/language.ts";
import { isSameName, matcher, matching, named } from "../base/lib/find.ts";
import { narrowOf, type SearchNames, termsOfSearch, textOfTerms } from "../navigation/address.ts";
import { goToNarrow, route } from "../navigation/router.ts";
import { onScreen } from "../navigation/selection.ts";
import { currentState } from "../session/store.ts";
import type { Term } from "../state/narrow.ts";
import { needTopics, topicsByChannel } from "../views/conversations/channel-topics.ts";

interface Choice {
  /** The text of the search after the choice. */
  text: string;
  description: string;
}

const maxChoices = 8;
const maxOperators = 6;

const operators = (): readonly Choice[] => [
  { text: "channel:", description: t("messages in a channel") },
  { text: "topic:", description: t("messages in a topic") },
  { text: "sender:", description: t("messages that somebody sent (by e-mail address)") },
  { text: "dm:", description: t("a direct conversation (by e-mail addresses)") },
  { text: "dm-including:", description: t("direct conversations with somebody (by e-mail address)") },
  { text: "channels:public", description: t("messages in all public channels") },
  { text: "near:", description: t("messages around one (by its number)") },
  { text: "id:", description: t("one message (by its number)") },
  { text: "has:link", description: t("messages with a link") },
  { text: "has:image", description: t("messages with a picture") },
  { text: "has:attachment", description: t("messages with a file") },
  { text: "has:reaction", description: t("messages that somebody reacted to") },
  { text: "is:starred", description: t("starred messages") },
  { text: "is:mentioned", description: t("messages that mention you") },
  { text: "is:alerted", description: t("messages with one of your alert words") },
  { text: "is:unread", description: t("unread messages") },
  { text: "is:dm", description: t("direct messages") },
  { text: "is:followed", description: t("messages in topics that you follow") },
  { text: "is:muted", description: t("messages in muted channels and topics") },
  { text: "is:resolved", description: t("messages in resolved topics") },
];

/** Words with which people try to search by dates, and dates. */
const datePattern = /^(?:date|before|after|since|until|during|on|to):|^\d{4}-/;
/** What the suggestions say about a word; undefined if there is nothing to say. */
const noteOn = (word: string) =>
  datePattern.test(word)
    ? t(
        "The server cannot search by date. near: goes to a message, and the messages before and after it are there, too.",
      )
    : undefined;

const names: SearchNames = {
  channelIdOf: (name) => named(currentState().channels.values(), name, (channel) => channel.name)?.stream_id,
  channelNameOf: (id) => currentState().channels.get(id)?.name,
  userIdOf: (email) =>
    [...currentState().users.values()].find(
      (user) => user.email.toLowerCase() === email.toLowerCase() || user.delivery_email === email,
    )?.user_id,
  emailOf: (userId) => currentState().users.get(userId)?.email,
};

/** The channel that a search names. */
function channelIn(search: string): number | undefined {
  const operand = termsOfSearch(search, names).find(({ operator }) => operator === "channel")?.operand;
  return typeof operand === "number" ? operand : undefined;
}

/** The topics that `topic:` suggests, newest first: those of the channel that the search names, else of all that are known. */
function topicNames(before: string): string[] {
  const channelId = channelIn(before);
  if (channelId !== undefined) needTopics(channelId);
  const known = channelId === undefined ? [...topicsByChannel.value.values()] : [topicsByChannel.value.get(channelId)];
  const topics = known.flatMap((topics) => [...(topics?.values() ?? [])]).sort((a, b) => b.maxId - a.maxId);
  return [
    ...new Set(topics.flatMap(({ conversation }) => (conversation.kind === "topic" ? [conversation.topic] : []))),
  ].filter((topic) => topic !== "");
}

/** Puts what has exactly the value before what only contains it. */
const exactFirst = <Item,>(items: readonly Item[], value: string, textOf: (item: Item) => string): Item[] =>
  [...items].sort((a, b) => Number(isSameName(textOf(b), value)) - Number(isSameName(textOf(a), value)));

/** What is before the last word of the search, and the last word. A value in quotes may have spaces. */
function splitLastWord(text: string): [before: string, lastWord: string] {
  const [, before = "", lastWord = ""] = /^(.*?)(-?[a-z-]+:"[^"]*|\S*)$/.exec(text) ?? [];
  return [before, lastWord];
}

/** Suggestions for the last word of the search. */
function choicesFor(text: string): Choice[] {
  const [before, lastWord] = splitLastWord(text);
  const minus = lastWord.startsWith("-") ? "-" : "";
  const word = lastWord.slice(minus.length).toLowerCase();
  const withLastWord = (choice: string) => `${before}${minus}${choice}`;
  const { channels, users } = currentState();
  const topicQuery = /^topic:"?(.*)$/.exec(word)?.[1];
  if (topicQuery !== undefined) {
    const matchOf = matcher(topicQuery);
    const topics = topicNames(before).filter((topic) => matchOf(topic) !== undefined);
    return exactFirst(topics, topicQuery, (topic) => topic)
      .slice(0, maxChoices)
      .map((topic) => ({
        text: withLastWord(`topic:${/[\s"]/.test(topic) ? `"${topic}"` : topic} `),
        description: t("topic"),
      }));
  }
  const top = onScreen.value?.first;
  if (/^(near|id):/.test(word) && top !== undefined)
    return [`${word.replace(/:.*/, "")}:${top}`]
      .filter((choice) => choice.startsWith(word))
      .map((choice) => ({ text: withLastWord(`${choice} `), description: t("the message at the top of the list") }));
  const operatorMatch = /^(channel|stream|sender|from|dm|dm-including):"?(.*)$/.exec(word);
  if (operatorMatch) {
    const [, operator = "", query = ""] = operatorMatch;
    if (operator === "channel" || operator === "stream") {
      const listed = [...channels.values()].filter(({ is_archived }) => !is_archived);
      const found = matching(listed, query, ({ name }) => name);
      return exactFirst(found, query, ({ name }) => name)
        .slice(0, maxChoices)
        .map(({ name }) => ({
          text: withLastWord(`${operator}:${name.includes(" ") ? `"${name}"` : name} `),
          description: t("channel"),
        }));
    }
    const found = matching([...users.values()], query, ({ full_name, email }) => `${full_name} ${email}`);
    return exactFirst(found, query, ({ email }) => email)
      .slice(0, maxChoices)
      .map(({ full_name, email }) => ({ text: withLastWord(`${operator}:${email} `), description: full_name }));
  }
  return operators()
    .filter((operator) => operator.text.startsWith(word))
    .slice(0, text === "" ? operators().length : maxOperators)
    .map(({ text: operator, description }) => ({ text: withLastWord(operator), description }));
}

/** Whether the value of an operator may be the one that is meant, even if suggestions contain it. */
function isComplete(operator: string, value: string, before: string): boolean {
  switch (operator) {
    case "channel":
    case "stream":
      return names.channelIdOf(value) !== undefined;
    case "sender":
    case "from":
    case "dm":
    case "dm-including":
      return names.userIdOf(value) !== undefined;
    case "topic":
      // Without a channel, not all topics are known.
      return channelIn(before) === undefined || topicNames(before).some((topic) => isSameName(topic, value));
    // The beginning of a message's number may be the number that is meant.
    case "near":
    case "id":
      return true;
    default:
      return operators().some(({ text }) => text === `${operator}:${value.toLowerCase()}`);
  }
}

/** The suggestion that Enter takes if none is highlighted: the first one for the value of an operator, unless it is complete. */
function impliedChoice(text: string, choices: readonly Choice[]): Choice | undefined {
  const [before, lastWord] = splitLastWord(text);
  const [, operator, value = ""] = /^-?([a-z-]+):"?(.*)$/.exec(lastWord) ?? [];
  if (operator === undefined || (value !== "" && isComplete(operator, value, before))) return undefined;
  return choices[0];
}

/** Whether a term says where to begin, rather than which messages to show. */
const isNear = ({ operator, operand, negated }: Term) =>
  operator === "near" && !negated && /^\d{1,15}$/.test(String(operand));
const everywhere: readonly Term[] = [{ operator: "in", operand: "all" }];

const textOfSearch = (terms: readonly Term[], near: number | undefined) =>
  textOfTerms(near === undefined ? terms : [...terms, { operator: "near", operand: String(near) }], names);

export function SearchBar() {
  const [text, setText] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [chosenIndex, setChosenIndex] = useState(-1);
  const field = useRef<HTMLInputElement>(null);
  const choices = isOpen ? choicesFor(text) : [];
  const note = isOpen ? noteOn(splitLastWord(text)[1]) : undefined;
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
    goToNarrow(narrowOf(others.length > 0 ? others : everywhere), near && Number(near.operand));
  };
  return (
    <form
      class="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        const choice = choices[chosenIndex] ?? impliedChoice(text, choices);
        if (choice) accept(choice);
        else search();
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
        onFocus={() => setOpen(true)}
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
                  <strong>{choice.text}</strong> <span class="quiet">{choice.description}</span>
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </form>
  );
}
