import {
  channelReference,
  groupMention,
  mention,
  mentionByName,
  topicReference,
} from "../../../shared/core/markdown/source/references.ts";
import { compareTexts, t } from "../../base/languages/language.ts";
import { allEmoji, emojiQuery, findEmoji, glyphOf, loadEmoji } from "../../base/lib/emoji.ts";
import { beginningMatcher, matching, named } from "../../base/lib/find.ts";
import { currentState } from "../../session/store.ts";
import type { Channel, State, User } from "../../state/model.ts";
import type { Recipient } from "../../state/recipient.ts";
import { topicsOf } from "../conversations/channel-topics.ts";

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

/** How far back a completion may begin: two names, and the link to a channel by its ID. */
const maxQueryLength = 400;
/** In a line with more signs, those further back are not tried. */
const maxTriggers = 5;

/** Completions of what is before the cursor, at most `maxSuggestions`, in a message to a recipient. */
export function suggestionsFor(text: string, cursor: number, recipient: Recipient): Suggestion[] {
  const before = text.slice(0, cursor);
  // There are no completions within code.
  if ((before.match(/```/g)?.length ?? 0) % 2 === 1) return [];
  const state = currentState();
  const lineStart = Math.max(before.lastIndexOf("\n") + 1, cursor - maxQueryLength);
  const line = before.slice(lineStart);
  const afterLink = channelLinkBeforeTopic.exec(line);
  const linked = afterLink && state.channels.get(Number(afterLink[1]));
  if (linked) return suggestTopics(linked, afterLink[2] ?? "", lineStart + afterLink.index);
  // A name may contain the signs, so the last one need not be where it begins.
  const triggers = [...line.matchAll(/(?<=^|[\s(])(@_?|#|:)/g)].slice(-maxTriggers).reverse();
  for (const { 1: trigger = "", index } of triggers) {
    const rest = line.slice(index + trigger.length);
    if (/^\s/.test(rest)) continue;
    const suggestions = suggestionsAfter(trigger, rest, lineStart + index, state, recipient);
    if (suggestions.length > 0) return suggestions;
  }
  return [];
}

/** The link to a channel whose short form cannot carry its name, and the beginning of a topic. */
const channelLinkBeforeTopic = /\[#[^\]\n]*\]\(#narrow\/channel\/(\d{1,15})-[^)\s/]*\) ?>([^\n]{0,60})$/;

/** The suggestions for a sign and what follows it up to the cursor. */
function suggestionsAfter(
  trigger: string,
  rest: string,
  from: number,
  state: State,
  recipient: Recipient,
): Suggestion[] {
  const query = rest.replace(/^\*{1,2}/, "");
  if (trigger === "@" || trigger === "@_") return suggestMentions(state, query, from, trigger, recipient);
  if (trigger === "#") return suggestTopicsAfter(state, query, from) ?? suggestChannels(state, query, from);
  if (query.length < 2 || query.includes(" ")) return [];
  if (allEmoji.value.length === 0) void loadEmoji(String(state.realm.server_emoji_data_url));
  return suggestEmoji(state, query, from);
}

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
  trigger: "@" | "@_",
  recipient: Recipient,
): Suggestion[] {
  const taking = participation(state, recipient);
  const level = ({ user_id }: User) => taking.get(user_id)?.[0] ?? 0;
  const latest = ({ user_id }: User) => taking.get(user_id)?.[1] ?? 0;
  const isMeant = beginningMatcher(query);
  const people = [...state.users.values()]
    .filter((user) => user.is_active && !user.is_system_bot && isMeant(user.full_name))
    .sort(
      (a, b) =>
        level(b) - level(a) ||
        latest(b) - latest(a) ||
        Number(a.is_bot) - Number(b.is_bot) ||
        compareTexts(a.full_name, b.full_name),
    );
  const shown = people.slice(0, maxSuggestions);
  const counts = countNames(state, new Set(shown.map((user) => user.full_name.toLowerCase())));
  const groups = [...state.groups.values()].filter(
    (group) => !group.deactivated && !group.is_system_group && isMeant(group.name),
  );
  const wildcards =
    trigger === "@_"
      ? []
      : [
          { name: "all", detail: t("Everyone in this conversation") },
          { name: "topic", detail: t("Everyone in this topic") },
        ].filter(({ name }) => name.startsWith(query.toLowerCase()) && query !== "");
  return [
    ...shown.map(({ user_id: id, full_name: fullName, is_bot, delivery_email }) => {
      const isOnlyOne = counts.get(fullName.toLowerCase()) === 1;
      const byName = isOnlyOne ? mentionByName(fullName, trigger) : undefined;
      return {
        label: fullName,
        detail: is_bot ? t("bot") : (delivery_email ?? ""),
        text: `${byName ?? mention({ id, fullName }, trigger)} `,
        from,
      };
    }),
    ...wildcards.map(({ name, detail }) => ({ label: name, detail, text: `@**${name}** `, from })),
    ...groups.map((group) => ({
      label: group.name,
      detail: t("group"),
      text: `${groupMention(group, trigger)} `,
      from,
    })),
  ].slice(0, maxSuggestions);
}

/** How many users have each of the names, which are in lower case: the server ignores case. */
function countNames(state: State, names: ReadonlySet<string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { full_name } of state.users.values()) {
    const name = full_name.toLowerCase();
    if (names.has(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

const suggestChannels = (state: State, query: string, from: number): Suggestion[] => {
  const isMeant = beginningMatcher(query);
  return [...state.channels.values()]
    .filter((channel) => !channel.is_archived && isMeant(channel.name))
    .sort(
      (a, b) =>
        Number(state.subscriptions.has(b.stream_id)) - Number(state.subscriptions.has(a.stream_id)) ||
        compareTexts(a.name, b.name),
    )
    .slice(0, maxSuggestions)
    .map((channel) => ({
      label: `#${channel.name}`,
      detail: channel.description,
      text: `${channelReference({ id: channel.stream_id, name: channel.name })} `,
      from,
    }));
};

/** Topics, if what follows the sign is a channel's name and ">", also after the completed link to the channel. */
function suggestTopicsAfter(state: State, text: string, from: number): Suggestion[] | undefined {
  // The channel's name may contain the sign, too.
  for (let end = text.lastIndexOf(">"); end > 0; end = text.lastIndexOf(">", end - 1)) {
    const name = text.slice(0, end).replace(/\*\* ?$/, "");
    const channel = named(state.channels.values(), name, (each) => each.name);
    if (channel) return suggestTopics(channel, text.slice(end + 1), from);
  }
  return undefined;
}

const suggestTopics = ({ stream_id: id, name }: Channel, query: string, from: number): Suggestion[] =>
  matching(
    topicsOf(id).filter((topic) => topic !== ""),
    query,
    (topic) => topic,
  )
    .slice(0, maxSuggestions)
    .map((topic) => ({ label: `#${name} › ${topic}`, text: `${topicReference({ id, name }, topic)} `, from }));

function suggestEmoji(state: State, query: string, from: number): Suggestion[] {
  const custom = [...state.realmEmoji.values()]
    .filter(({ name, deactivated }) => !deactivated && name.includes(emojiQuery(query)))
    .map(({ name }) => ({ label: `:${name}:`, text: `:${name}: `, from }));
  const found = findEmoji(query, maxSuggestions).map(({ name, code }) => ({
    label: `:${name}:`,
    glyph: glyphOf(code),
    text: `:${name}: `,
    from,
  }));
  return [...custom, ...found].slice(0, maxSuggestions);
}
