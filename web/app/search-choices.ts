import { t } from "../base/languages/language.ts";
import { dayAgo, intervalOf } from "../base/lib/dates.ts";
import { isSameName, matcher, matching } from "../base/lib/find.ts";
import { dayName } from "../base/lib/time.ts";
import { termsOfSearch } from "../navigation/address.ts";
import { onScreen } from "../navigation/selection.ts";
import { call } from "../session/session.ts";
import { currentState } from "../session/store.ts";
import { type Term, termsOf } from "../state/narrow.ts";
import { needTopics, topicsByChannel } from "../views/conversations/channel-topics.ts";
import { names, usersCalled } from "./search-names.ts";

/** What the search suggests. */

export interface Choice {
  /** The text of the search after the choice. */
  text: string;
  description: string;
}

const maxChoices = 8;
const maxOperators = 6;

const operators = (): readonly Choice[] => [
  { text: "channel:", description: t("messages in a channel") },
  { text: "topic:", description: t("messages in a topic") },
  { text: "sender:", description: t("messages that someone sent (by name or email address)") },
  { text: "mentions:", description: t("messages that mention someone (by name or email address)") },
  { text: "dm:", description: t("a direct conversation (by names or email addresses)") },
  { text: "dm-including:", description: t("direct conversations with someone (by name or email address)") },
  { text: "date:", description: t("messages from a day, month or year") },
  { text: "before:", description: t("messages from before a day, month or year") },
  { text: "after:", description: t("messages from after a day, month or year") },
  { text: "channels:public", description: t("messages in all public channels") },
  { text: "near:", description: t("messages around a message (by its number), or from a day on") },
  { text: "id:", description: t("one message (by its number)") },
  { text: "has:link", description: t("messages with a link") },
  { text: "has:image", description: t("messages with a picture") },
  { text: "has:attachment", description: t("messages with a file") },
  { text: "has:reaction", description: t("messages that someone reacted to") },
  { text: "is:starred", description: t("starred messages") },
  { text: "is:mentioned", description: t("messages that mention you") },
  { text: "is:alerted", description: t("messages with one of your alert words") },
  { text: "is:unread", description: t("unread messages") },
  { text: "is:dm", description: t("direct messages") },
  { text: "is:followed", description: t("messages in topics that you follow") },
  { text: "is:muted", description: t("messages in muted channels and topics") },
  { text: "is:resolved", description: t("messages in resolved topics") },
];

/** Other words with which people search by dates, and dates alone. */
const dateWords: readonly (readonly [RegExp, string])[] = [
  [/^since:/, "after:"],
  [/^until:/, "before:"],
  [/^(on|during):/, "date:"],
  [/^(?=\d{4}-)/, "date:"],
];
const withDateOperator = (word: string) =>
  dateWords.reduce((text, [pattern, operator]) => text.replace(pattern, operator), word);

const peopleOperator = /^-?(sender|from|mentions|dm|dm-including):"?([^"]*)"?$/i;

/** What the suggestions say about a word; undefined if there is nothing to say. */
function noteOn(word: string): string | undefined {
  if (/^-?(date|before|after):/.test(withDateOperator(word.toLowerCase())))
    return t("Days are written like {day}, months like {month}. They begin and end in your time zone.", {
      day: dayAgo(0),
      month: dayAgo(0).slice(0, 7),
    });
  const name = peopleOperator.exec(word)?.[2];
  return name !== undefined && usersCalled(name).length > 1
    ? t("Several people have this name. Choose one by email address.")
    : undefined;
}

const suggestedDays = [0, 1, 7, 30];

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
const exactFirst = <Item>(items: readonly Item[], value: string, textOf: (item: Item) => string): Item[] =>
  [...items].sort((a, b) => Number(isSameName(textOf(b), value)) - Number(isSameName(textOf(a), value)));

/** What is before the last word of the search, and the last word. A value in quotes may have spaces. */
function splitLastWord(text: string): [before: string, lastWord: string] {
  const [, before = "", lastWord = ""] = /^(.*?)(-?[a-z-]+:"[^"]*"?|\S*)$/.exec(text) ?? [];
  return [before, lastWord];
}

/** Suggestions for the last word of the search. */
function choicesFor(text: string): Choice[] {
  const [before, lastWord] = splitLastWord(text);
  const minus = lastWord.startsWith("-") ? "-" : "";
  const word = withDateOperator(lastWord.slice(minus.length).toLowerCase());
  const withLastWord = (choice: string) => `${before}${minus}${choice}`;
  const { channels, users } = currentState();
  const topicQuery = /^topic:"?([^"]*)"?$/.exec(word)?.[1];
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
  const [, dateOperator, date = ""] = /^(date|before|after|near):(.*)$/.exec(word) ?? [];
  if (dateOperator !== undefined && (date !== "" || dateOperator !== "near")) {
    const nameOfDay = (day: string) => dayName((intervalOf(day)?.[0].getTime() ?? 0) / 1000);
    const days = suggestedDays
      .map(dayAgo)
      .filter((day) => day.startsWith(date) || nameOfDay(day).toLowerCase().startsWith(date));
    if (intervalOf(date) && !days.includes(date)) days.unshift(date);
    if (dateOperator !== "near" || days.length > 0)
      return days.map((day) => ({
        text: withLastWord(`${dateOperator}:${day} `),
        description: day === date ? "" : nameOfDay(day),
      }));
  }
  const top = onScreen.value?.first;
  if (/^(near|id):/.test(word) && top !== undefined)
    return [`${word.replace(/:.*/, "")}:${top}`]
      .filter((choice) => choice.startsWith(word))
      .map((choice) => ({ text: withLastWord(`${choice} `), description: t("the message at the top of the list") }));
  const operatorMatch = /^(channel|stream|sender|from|mentions|dm|dm-including):"?([^"]*)"?$/.exec(word);
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
    case "mentions":
      return names.userIdOf(value) !== undefined;
    case "topic":
      // Without a channel, not all topics are known.
      return channelIn(before) === undefined || topicNames(before).some((topic) => isSameName(topic, value));
    // The beginning of a message's number may be the number that is meant.
    case "near":
    case "id":
      return true;
    case "date":
    case "before":
    case "after":
      return intervalOf(value) !== undefined || /[T/]/.test(value);
    default:
      return operators().some(({ text }) => text === `${operator}:${value.toLowerCase()}`);
  }
}

/** The suggestion that Enter takes if none is highlighted: the first one for the value of an operator, unless it is complete. */
function impliedChoice(text: string, choices: readonly Choice[]): Choice | undefined {
  const [before, lastWord] = splitLastWord(text);
  const [, operator, quote, value = "", end] = /^-?([a-z-]+):("?)([^"]*)("?)$/.exec(lastWord) ?? [];
  if (operator === undefined || (value !== "" && isComplete(operator, value, before))) return undefined;
  // Between quotation marks it is written in full, but several people may have the name.
  if (quote && end && !peopleOperator.test(lastWord)) return undefined;
  return choices[0];
}

/** The number of the first message from a day, month or year on that matches the terms; undefined if there is none. */
async function firstMessageFrom(date: string, terms: readonly Term[]): Promise<number | undefined> {
  const { messages } = await call("GET /messages", {
    anchor: "date",
    anchor_date: intervalOf(date)?.[0].toISOString() ?? date,
    num_before: 0,
    num_after: 0,
    narrow: termsOf({ kind: "search", terms }),
    allow_empty_topic_name: true,
  });
  return messages[0]?.id;
}

/** What the search box loads when it is first used. */
export const searchHelp = { noteOn, splitLastWord, choicesFor, impliedChoice, firstMessageFrom };
