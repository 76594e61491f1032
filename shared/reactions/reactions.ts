import { checkEmoji, emojiNamed, isEmojiCode } from "../emoji/access.ts";
import { badRequest, reactionAlreadyExists, reactionDoesNotExist } from "../errors.ts";
import type { Caller } from "../identity/caller.ts";
import { findCachedProfiles } from "../identity/profiles.ts";
import { visibleEmail } from "../identity/visibility.ts";
import { messageAudience } from "../messages/audience.ts";
import type { Realm } from "../organization/access.ts";
import type { LoggedEvent } from "../store/log/entry.ts";
import { commit } from "../store/log/log.ts";
import { findMessage, type Message } from "../store/messages/messages.ts";
import {
  addReaction,
  canonicalType,
  type Emoji,
  findReactionSpelling,
  nameOnMessage,
  type Reaction,
  type ReactionType,
  reactionsOf,
  removeReaction,
} from "../store/messages/reactions.ts";
import { conflict, retryOnConflict } from "../store/table/conflicts.ts";
import { ConditionFailed } from "../store/table/transactions.ts";
import type { Write } from "../store/table/writes.ts";

/** An emoji as a client names it: by name alone, or with code and type. */
export interface NamedEmoji {
  name?: string | undefined;
  code?: string | undefined;
  type?: ReactionType | undefined;
}

/**
 * Adds the caller's reaction. Concurrent reactions do not overwrite each other. An existing reaction with the emoji decides its
 * name and whether it may still be used. At most 8 write units for a message below 1 KB.
 */
export async function react(caller: Caller, message: Message, named: NamedEmoji & { name: string }, realm: Realm) {
  const known = named.code === undefined || named.type === undefined ? await emojiNamed(named.name) : undefined;
  const emoji: Emoji = {
    name: named.name,
    code: named.code ?? known?.code ?? "",
    type: canonicalType(named.type ?? known?.type ?? "unicode_emoji"),
  };
  let checked = false;
  let current: Message | undefined = message;
  await retryOnConflict(
    async () => {
      current ??= await findMessage(message.id);
      if (!current) throw badRequest("Invalid message(s)");
      if (findReactionSpelling(current, emoji, caller.id)) throw reactionAlreadyExists();
      const name = nameOnMessage(current, emoji);
      if (name === undefined && !checked) {
        await checkEmoji(emoji);
        checked = true;
      }
      const reaction = { ...emoji, name: name ?? emoji.name, userId: caller.id };
      const read = current;
      current = undefined;
      return (await written(read, reaction, "add", (since) => addReaction(read, reaction, since), realm))
        ? undefined
        : conflict;
    },
    { exhausted: () => badRequest("Too many concurrent reactions; try again.") },
  );
}

/** Removes the caller's reaction, even if its emoji was deactivated. Throws if there is no such reaction or emoji. */
export async function unreact(caller: Caller, message: Message, named: NamedEmoji, realm: Realm): Promise<void> {
  const reaction = await reactionNamed(caller, message, named);
  if (!reaction) throw reactionDoesNotExist();
  if (!(await written(message, reaction, "remove", () => removeReaction(message, reaction), realm)))
    throw reactionDoesNotExist();
}

async function reactionNamed(caller: Caller, message: Message, named: NamedEmoji): Promise<Reaction | undefined> {
  const { name, code } = named;
  if (name === undefined && code === undefined)
    throw badRequest("At least one of the following arguments must be present: emoji_name, emoji_code");
  const own = reactionsOf(message).filter(
    ({ userId, type }) => userId === caller.id && (named.type === undefined || sameKind(type, named.type)),
  );
  if (code !== undefined) {
    const fitting = own.filter((reaction) => reaction.code === code);
    const found = fitting.find((reaction) => reaction.name === name) ?? fitting[0];
    if (!found && !(await isKnownCode(named, code))) throw badRequest("Invalid emoji code.");
    return found;
  }
  const byName = own.find((reaction) => reaction.name === name);
  // A deactivated emoji cannot be found by name, but existing reactions contain its name.
  const emoji = await emojiNamed(name ?? "").catch((error: unknown) => {
    if (byName) return undefined;
    throw error;
  });
  return own.find(({ code, type }) => code === emoji?.code && sameKind(type, emoji.type)) ?? byName;
}

const sameKind = (a: ReactionType, b: ReactionType) => canonicalType(a) === canonicalType(b);

/** If the type is missing, checks all types. */
async function isKnownCode({ type }: NamedEmoji, code: string): Promise<boolean> {
  const kinds: ReactionType[] = type ? [type] : ["unicode_emoji", "realm_emoji", "service_extra_emoji"];
  const known = await Promise.all(kinds.map((kind) => isEmojiCode({ code, type: kind })));
  return known.includes(true);
}

/** Returns false if the reactions have changed so that the write's condition failed. */
async function written(
  message: Message,
  reaction: Reaction,
  op: "add" | "remove",
  write: (since: number) => Write,
  realm: Realm,
): Promise<boolean> {
  const event = await reactionEvent(message, reaction, op, realm);
  try {
    return await commit({ events: 1 }, ({ event: since }) => ({
      writes: [write(since)],
      events: [event],
      result: true,
    }));
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}

async function reactionEvent(
  message: Message,
  { userId, name, code, type }: Reaction,
  op: "add" | "remove",
  realm: Realm,
): Promise<LoggedEvent> {
  const user = (await findCachedProfiles([userId], realm.usersVersion)).get(userId);
  return {
    audience: messageAudience(message, [userId]),
    event: {
      type: "reaction",
      op,
      message_id: message.id,
      emoji_name: name,
      emoji_code: code,
      reaction_type: type,
      user_id: userId,
      user: {
        user_id: userId,
        email: user ? visibleEmail(user) : "",
        full_name: user?.fullName ?? "",
        is_mirror_dummy: false,
      },
    },
  };
}
