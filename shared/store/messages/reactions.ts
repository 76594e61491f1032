import { update, type Write } from "../table/writes.ts";
import { type Message, messageKey } from "./messages.ts";

/**
 * Reactions are stored in the message's item. Each emoji has a set of users ("by:<type>:<code>"), to which concurrent requests
 * add without conflict, and the name and sequence number of its first use ("as:<type>:<code>").
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

/** The type of Zulip's extra emoji has two spellings. Stored reactions may have either; new ones get the first. */
const spellingsOf = (type: ReactionType): readonly ReactionType[] =>
  type.endsWith("_extra_emoji") ? ["service_extra_emoji", "zulip_extra_emoji"] : [type];

export const canonicalType = (type: ReactionType): ReactionType => spellingsOf(type)[0] ?? type;

type EmojiId = Pick<Emoji, "code" | "type">;
const usersAttribute = ({ type, code }: EmojiId) => `by:${type}:${code}` as const;
const firstUseAttribute = ({ type, code }: EmojiId) => `as:${canonicalType(type)}:${code}` as const;
const usersAttributesOf = ({ type, code }: EmojiId) =>
  spellingsOf(type).map((spelling) => usersAttribute({ type: spelling, code }));

/** A message's reactions, sorted by the emoji's first use and then by user ID. */
export function reactionsOf(message: Message): Reaction[] {
  const sets = Object.keys(message).filter((name): name is `by:${string}` => name.startsWith("by:"));
  const datedReactions = sets.flatMap((attribute) => {
    const userIds = message[attribute] ?? [];
    const [, type, ...code] = attribute.split(":");
    const id = { type: canonicalType(type as ReactionType), code: code.join(":") };
    const { name = id.code, since = 0 } = message[firstUseAttribute(id)] ?? {};
    return [...userIds].map((userId) => ({ since, reaction: { ...id, name, userId } }));
  });
  return datedReactions
    .sort((a, b) => a.since - b.since || a.reaction.userId - b.reaction.userId)
    .map(({ reaction }) => reaction);
}

/** The name under which an emoji is used on a message; undefined when nobody has reacted with it. */
export const nameOnMessage = (message: Message, emoji: EmojiId): string | undefined =>
  usersAttributesOf(emoji).some((set) => (message[set]?.size ?? 0) > 0)
    ? message[firstUseAttribute(emoji)]?.name
    : undefined;

/** The spelling of the type with which a user reacted, if they did. */
export const findReactionSpelling = (message: Message, emoji: EmojiId, userId: number): ReactionType | undefined =>
  spellingsOf(emoji.type).find((type) => message[usersAttribute({ type, code: emoji.code })]?.has(userId));

/**
 * Adds a user's reaction; fails when they have reacted with the emoji already, or when it has got another name since the
 * message was read. Concurrent first uses of an emoji under the same name all succeed.
 */
export function addReaction(message: Message, { userId, ...emoji }: Reaction, since: number): Write {
  const label = firstUseAttribute(emoji);
  const lacks = Object.fromEntries(usersAttributesOf(emoji).map((set) => [set, userId]));
  const isUsed = nameOnMessage(message, emoji) !== undefined;
  const add = { [usersAttribute(emoji)]: new Set([userId]) };
  if (isUsed)
    return update(messageKey(message.id), { add }, { exists: true, lacks, equals: { [label]: message[label] } });
  const firstUse = { name: emoji.name, since };
  if (!message[label])
    return update(
      messageKey(message.id),
      { add, setIfAbsent: { [label]: firstUse } },
      { exists: true, lacks, absentOr: { [label]: { name: emoji.name } } },
    );
  const unused = Object.fromEntries(usersAttributesOf(emoji).map((set) => [set, undefined]));
  return update(messageKey(message.id), { add, set: { [label]: firstUse } }, { exists: true, equals: unused });
}

/** Adds reactions to a message that has none yet. */
export function putReactions(messageId: number, reactions: readonly Reaction[]): Write {
  const add: Record<`by:${string}`, Set<number>> = {};
  const set: Record<`as:${string}`, { name: string; since: number }> = {};
  for (const { userId, ...emoji } of reactions) {
    const users = usersAttribute(emoji);
    add[users] = new Set([...(add[users] ?? []), userId]);
    set[firstUseAttribute(emoji)] ??= { name: emoji.name, since: 1 + Object.keys(set).length };
  }
  return update(messageKey(messageId), { add, set }, { exists: true });
}

/** Removes a user's reaction; fails when it does not exist. */
export function removeReaction(message: Message, { userId, ...emoji }: Reaction): Write {
  const set = usersAttribute({ ...emoji, type: findReactionSpelling(message, emoji, userId) ?? emoji.type });
  return update(
    messageKey(message.id),
    { subtract: { [set]: new Set([userId]) } },
    { exists: true, contains: { [set]: userId } },
  );
}
