import type { Message } from "./messages.ts";
import { messageKey } from "./messages.ts";
import { update, type Write } from "./writes.ts";

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

/** The extra emoji's type has two spellings, which mean the same and are kept as they were sent. */
const spellingsOf = (type: ReactionType): readonly ReactionType[] =>
  type.endsWith("_extra_emoji") ? ["service_extra_emoji", "zulip_extra_emoji"] : [type];

type EmojiId = Pick<Emoji, "code" | "type">;
const setName = ({ type, code }: EmojiId) => `by:${type}:${code}` as const;
const labelName = ({ type, code }: EmojiId) => `as:${spellingsOf(type)[0] ?? type}:${code}` as const;
const setsOf = ({ type, code }: EmojiId) => spellingsOf(type).map((spelling) => setName({ type: spelling, code }));

/** A message's reactions: emoji in the order of their first use, the users of each by ID. */
export function reactionsOf(message: Message): Reaction[] {
  const sets = Object.entries(message).filter((entry): entry is [`by:${string}`, Set<number>] =>
    entry[0].startsWith("by:"),
  );
  const found = sets.flatMap(([attribute, userIds]) => {
    const [, type, ...code] = attribute.split(":");
    const id = { type: type as ReactionType, code: code.join(":") };
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

/** Adds a user's reaction to a message as it was read; fails when they have it, or when the emoji's first use changed. */
export function addReaction(message: Message, { userId, ...emoji }: Reaction, since: number): Write {
  const label = labelName(emoji);
  const lacks = Object.fromEntries(setsOf(emoji).map((set) => [set, userId]));
  const used = nameOnMessage(message, emoji) !== undefined;
  const add = { [setName(emoji)]: new Set([userId]) };
  if (used)
    return update(messageKey(message.id), { add }, { exists: true, lacks, equals: { [label]: message[label] } });
  const unused = Object.fromEntries(setsOf(emoji).map((set) => [set, undefined]));
  return update(
    messageKey(message.id),
    { add, set: { [label]: { name: emoji.name, since } } },
    { exists: true, equals: unused },
  );
}

/** Takes a user's reaction back; fails when it is not there. */
export const removeReaction = (messageId: number, { userId, ...emoji }: Reaction): Write =>
  update(
    messageKey(messageId),
    { subtract: { [setName(emoji)]: new Set([userId]) } },
    { exists: true, contains: { [setName(emoji)]: userId } },
  );
