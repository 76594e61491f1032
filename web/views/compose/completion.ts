import { allEmoji, findEmoji, glyphOf, loadEmoji } from "../../lib/emoji.ts";
import { currentState } from "../../session.ts";
import type { State } from "../../state/model.ts";

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

/** Completions of what is before the cursor, at most `maxSuggestions`. */
export function suggestionsFor(text: string, cursor: number): Suggestion[] {
  const before = text.slice(0, cursor);
  // There are no completions within code.
  if ((before.match(/```/g)?.length ?? 0) % 2 === 1) return [];
  const state = currentState();
  const topicMatch = /#\*\*([^*>\n]{1,60})>([^*\n]{0,60})$/.exec(before);
  if (topicMatch) return suggestTopics(state, topicMatch[1] ?? "", topicMatch[2] ?? "", cursor - topicMatch[0].length);
  const match = /(^|[\s(])(@_?|#|:)(?:\*\*)?([^\s@#:*][^@#:*\n]{0,40})?$/.exec(before);
  if (!match) return [];
  const [, , trigger = "", query = ""] = match;
  const from = cursor - match[0].length + (match[1]?.length ?? 0);
  if (trigger.startsWith("@")) return suggestMentions(state, query, from, trigger === "@_");
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

function suggestMentions(state: State, query: string, from: number, silent: boolean): Suggestion[] {
  const trigger = silent ? "@_" : "@";
  const people = [...state.users.values()]
    .filter((user) => user.is_active && !user.is_system_bot && hasWordPrefix(user.full_name, query))
    .sort((a, b) => Number(a.is_bot) - Number(b.is_bot) || a.full_name.localeCompare(b.full_name));
  const namesakes = Map.groupBy(people, (user) => user.full_name);
  const groups = [...state.groups.values()].filter(
    (group) => !group.deactivated && !group.is_system_group && hasWordPrefix(group.name, query),
  );
  const wildcards = silent
    ? []
    : [
        { name: "all", detail: "Everybody in this conversation" },
        { name: "topic", detail: "Everybody who takes part in this topic" },
      ].filter(({ name }) => name.startsWith(query.toLowerCase()) && query !== "");
  return [
    ...people.map((user) => ({
      label: user.full_name,
      detail: user.is_bot ? "bot" : (user.delivery_email ?? ""),
      text: `${trigger}**${user.full_name}${(namesakes.get(user.full_name)?.length ?? 0) > 1 ? `|${user.user_id}` : ""}** `,
      from,
    })),
    ...wildcards.map(({ name, detail }) => ({ label: name, detail, text: `@**${name}** `, from })),
    ...groups.map((group) => ({ label: group.name, detail: "group", text: `${trigger}*${group.name}* `, from })),
  ].slice(0, maxSuggestions);
}

const suggestChannels = (state: State, query: string, from: number): Suggestion[] =>
  [...state.channels.values()]
    .filter((channel) => !channel.is_archived && hasWordPrefix(channel.name, query))
    .sort(
      (a, b) =>
        Number(state.subscriptions.has(b.stream_id)) - Number(state.subscriptions.has(a.stream_id)) ||
        a.name.localeCompare(b.name),
    )
    .slice(0, maxSuggestions)
    .map((channel) => ({
      label: `#${channel.name}`,
      detail: channel.description,
      text: `#**${channel.name}** `,
      from,
    }));

function suggestTopics(state: State, name: string, query: string, from: number): Suggestion[] {
  const channel = [...state.channels.values()].find((candidate) => candidate.name === name);
  if (!channel) return [];
  return knownTopics(state, channel.stream_id)
    .filter((topic) => topic.toLowerCase().includes(query.toLowerCase()))
    .slice(0, maxSuggestions)
    .map((topic) => ({ label: `#${name} > ${topic}`, text: `#**${name}>${topic}** `, from }));
}

/** The topics of a channel that are known from messages in memory, the newest first. */
export function knownTopics(state: State, channelId: number): string[] {
  const newest = new Map<string, number>();
  for (const message of state.messages.values())
    if (message.stream_id === channelId)
      newest.set(message.subject, Math.max(newest.get(message.subject) ?? 0, message.id));
  return [...newest].sort(([, a], [, b]) => b - a).map(([topic]) => topic);
}

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
