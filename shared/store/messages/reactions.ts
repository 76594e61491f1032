import { update, type Write } from "../table/writes.ts";
import type { Message } from "./messages.ts";
import { messageKey } from "./messages.ts";

/**
 * Reactions stand in the message's own item: for each emoji a set of users ("by:<type>:<code>"), which adds and removes
 * safely whoever else reacts, and the name and place of its first use ("as:<type>:<code>").
 */

export const reactionTypes = ["unicode_emoji", "realm_emoji", "service_extra_emoji", "zulip_extra_emoji"] as const;
export type ReactionType = (typeof reactionTypes)[number];

export interface Emoji {
  name: string;
  code: string;
  type: ReactionType;
}

export interface Reaction extends Emoji {
  userId: number;
}

/** The extra emoji's type has two spellings, of which tables written before keep both; it is written as the first. */
const spellingsOf = (type: ReactionType): readonly ReactionType[] =>
  type.endsWith("_extra_emoji") ? ["service_extra_emoji", "zulip_extra_emoji"] : [type];

export const currentType = (type: ReactionType): ReactionType => spellingsOf(type)[0] ?? type;

type EmojiId = Pick<Emoji, "code" | "type">;
const setName = ({ type, code }: EmojiId) => `by:${type}:${code}` as const;
const labelName = ({ type, code }: EmojiId) => `as:${currentType(type)}:${code}` as const;
const setsOf = ({ type, code }: EmojiId) => spellingsOf(type).map((spelling) => setName({ type: spelling, code }));

/** A message's reactions: emoji in the order of their first use, the users of each by ID. */
export function reactionsOf(message: Message): Reaction[] {
  const sets = Object.entries(message).filter((entry): entry is [`by:${string}`, Set<number>] =>
    entry[0].startsWith("by:"),
  );
  const found = sets.flatMap(([attribute, userIds]) => {
    const [, type, ...code] = attribute.split(":");
    const id = { type: currentType(type as ReactionType), code: code.join(":") };
    const { name = id.code, since = 0 } = message[labelName(id)] ?? {};
    return [...userIds].map((userId) => ({ since, reaction: { ...id, name, userId } }));
  });
  return found
    .sort((a, b) => a.since - b.since || a.reaction.userId - b.reaction.userId)
    .map(({ reaction }) => reaction);
}

/** The name that an emoji has on a message, while anybody's reaction with it stands. */
export const nameOnMessage = (message: Message, emoji: EmojiId): string | undefined =>
  setsOf(emoji).some((set) => (message[set]?.size ?? 0) > 0) ? message[labelName(emoji)]?.name : undefined;

/** The spelling with which a user reacted, if they did. */
export const reactedAs = (message: Message, emoji: EmojiId, userId: number): ReactionType | undefined =>
  spellingsOf(emoji.type).find((type) => message[setName({ type, code: emoji.code })]?.has(userId));

/**
 * Adds a user's reaction to a message as it was read; fails when they have it, or when the emoji has another name by now.
 * Those who use an emoji first at the same moment do not refuse each other.
 */
export function addReaction(message: Message, { userId, ...emoji }: Reaction, since: number): Write {
  const label = labelName(emoji);
  const lacks = Object.fromEntries(setsOf(emoji).map((set) => [set, userId]));
  const used = nameOnMessage(message, emoji) !== undefined;
  const add = { [setName(emoji)]: new Set([userId]) };
  if (used)
    return update(messageKey(message.id), { add }, { exists: true, lacks, equals: { [label]: message[label] } });
  const first = { name: emoji.name, since };
  if (!message[label])
    return update(
      messageKey(message.id),
      { add, setIfAbsent: { [label]: first } },
      { exists: true, lacks, absentOr: { [label]: { name: emoji.name } } },
    );
  const unused = Object.fromEntries(setsOf(emoji).map((set) => [set, undefined]));
  return update(messageKey(message.id), { add, set: { [label]: first } }, { exists: true, equals: unused });
}

/** Takes a user's reaction off a message as it was read; fails when it is not there. */
export function removeReaction(message: Message, { userId, ...emoji }: Reaction): Write {
  const set = setName({ ...emoji, type: reactedAs(message, emoji, userId) ?? emoji.type });
  return update(
    messageKey(message.id),
    { subtract: { [set]: new Set([userId]) } },
    { exists: true, contains: { [set]: userId } },
  );
}
