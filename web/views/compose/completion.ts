import { compareTexts, t } from "../../languages/language.ts";
import { allEmoji, findEmoji, glyphOf, loadEmoji } from "../../lib/emoji.ts";
import { currentState } from "../../session.ts";
import type { Channel, State, User } from "../../state/model.ts";
import type { Recipient } from "../../state/recipient.ts";
import { topicsOf } from "../navigation/channel-topics.ts";

/** Completions at the cursor: people, groups, channels, topics and emoji. */

export interface Suggestion {
  label: string;
  detail?: string;
  glyph?: string;
  /** The replacement for the text from `from` to the cursor. */
  text: string;
  from: number;
}

const maxSuggestions = 8;

/** Completions of what is before the cursor, at most `maxSuggestions`, in a message to a recipient. */
export function suggestionsFor(text: string, cursor: number, recipient: Recipient): Suggestion[] {
  const before = text.slice(0, cursor);
  // There are no completions within code.
  if ((before.match(/```/g)?.length ?? 0) % 2 === 1) return [];
  const state = currentState();
  // Also after the completed link to a channel.
  const topicMatch = /#(?:\*\*)?([^*>\n]{1,60}?)(?:\*\* ?)?>([^*\n]{0,60})$/.exec(before);
  const channel = topicMatch && channelNamed(state, topicMatch[1] ?? "");
  if (channel) return suggestTopics(channel, topicMatch[2] ?? "", cursor - topicMatch[0].length);
  const match = /(^|[\s(])(@_?|#|:)(?:\*\*)?([^\s@#:*][^@#:*\n]{0,40})?$/.exec(before);
  if (!match) return [];
  const [, , trigger = "", query = ""] = match;
  const from = cursor - match[0].length + (match[1]?.length ?? 0);
  if (trigger.startsWith("@")) return suggestMentions(state, query, from, trigger === "@_", recipient);
  if (trigger === "#") return suggestChannels(state, query, from);
  if (query.length < 2 || query.includes(" ")) return [];
  if (allEmoji.value.length === 0) void loadEmoji(String(state.realm.server_emoji_data_url));
  return suggestEmoji(state, query, from);
}

/** Whether the name, or the rest of the name from one of its words on, starts with the query; ignores case. */
const hasWordPrefix = (name: string, query: string) =>
  name
    .toLowerCase()
    .split(/\s+/)
    .some((_, index, words) => words.slice(index).join(" ").startsWith(query.toLowerCase()));

/**
 * How much each user takes part where a message goes: the members of a direct conversation and the senders in the topic before
 * the senders in the channel, the latest first.
 */
function participation({ messages }: State, recipient: Recipient): ReadonlyMap<number, readonly [number, number]> {
  if (recipient.kind === "unchosen") return new Map();
  if (recipient.kind === "direct") return new Map(recipient.userIds.map((id) => [id, [2, 0]]));
  const newest = new Map<number, readonly [number, number]>();
  const topic = recipient.topic.toLowerCase();
  for (const { id, sender_id, stream_id, subject } of messages.values()) {
    if (stream_id !== recipient.channelId) continue;
    const found = [subject.toLowerCase() === topic ? 2 : 1, id] as const;
    const known = newest.get(sender_id) ?? [0, 0];
    if (found[0] > known[0] || (found[0] === known[0] && found[1] > known[1])) newest.set(sender_id, found);
  }
  return newest;
}

function suggestMentions(
  state: State,
  query: string,
  from: number,
  silent: boolean,
  recipient: Recipient,
): Suggestion[] {
  const taking = participation(state, recipient);
  const level = ({ user_id }: User) => taking.get(user_id)?.[0] ?? 0;
  const latest = ({ user_id }: User) => taking.get(user_id)?.[1] ?? 0;
  const trigger = silent ? "@_" : "@";
  const people = [...state.users.values()]
    .filter((user) => user.is_active && !user.is_system_bot && hasWordPrefix(user.full_name, query))
    .sort(
      (a, b) =>
        level(b) - level(a) ||
        latest(b) - latest(a) ||
        Number(a.is_bot) - Number(b.is_bot) ||
        compareTexts(a.full_name, b.full_name),
    );
  const namesakes = Map.groupBy(people, (user) => user.full_name);
  const groups = [...state.groups.values()].filter(
    (group) => !group.deactivated && !group.is_system_group && hasWordPrefix(group.name, query),
  );
  const wildcards = silent
    ? []
    : [
        { name: "all", detail: t("Everybody in this conversation") },
        { name: "topic", detail: t("Everybody who takes part in this topic") },
      ].filter(({ name }) => name.startsWith(query.toLowerCase()) && query !== "");
  return [
    ...people.map((user) => ({
      label: user.full_name,
      detail: user.is_bot ? t("bot") : (user.delivery_email ?? ""),
      text: `${trigger}**${user.full_name}${(namesakes.get(user.full_name)?.length ?? 0) > 1 ? `|${user.user_id}` : ""}** `,
      from,
    })),
    ...wildcards.map(({ name, detail }) => ({ label: name, detail, text: `@**${name}** `, from })),
    ...groups.map((group) => ({ label: group.name, detail: t("group"), text: `${trigger}*${group.name}* `, from })),
  ].slice(0, maxSuggestions);
}

const suggestChannels = (state: State, query: string, from: number): Suggestion[] =>
  [...state.channels.values()]
    .filter((channel) => !channel.is_archived && hasWordPrefix(channel.name, query))
    .sort(
      (a, b) =>
        Number(state.subscriptions.has(b.stream_id)) - Number(state.subscriptions.has(a.stream_id)) ||
        compareTexts(a.name, b.name),
    )
    .slice(0, maxSuggestions)
    .map((channel) => ({
      label: `#${channel.name}`,
      detail: channel.description,
      text: `#**${channel.name}** `,
      from,
    }));

const channelNamed = (state: State, name: string): Channel | undefined =>
  [...state.channels.values()].find((channel) => channel.name.toLowerCase() === name.trim().toLowerCase());

const suggestTopics = ({ stream_id, name }: Channel, query: string, from: number): Suggestion[] =>
  topicsOf(stream_id)
    .filter((topic) => topic !== "" && topic.toLowerCase().includes(query.toLowerCase()))
    .slice(0, maxSuggestions)
    .map((topic) => ({ label: `#${name} › ${topic}`, text: `#**${name}>${topic}** `, from }));

function suggestEmoji(state: State, query: string, from: number): Suggestion[] {
  const custom = [...state.realmEmoji.values()]
    .filter(({ name, deactivated }) => !deactivated && name.includes(query))
    .map(({ name }) => ({ label: `:${name}:`, text: `:${name}: `, from }));
  const found = findEmoji(query, maxSuggestions).map(({ name, code }) => ({
    label: `:${name}:`,
    glyph: glyphOf(code),
    text: `:${name}: `,
    from,
  }));
  return [...custom, ...found].slice(0, maxSuggestions);
}
