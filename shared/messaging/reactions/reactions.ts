import { creationLimits } from "../../base/creation-limits.ts";
import { badRequest, reactionAlreadyExists, reactionDoesNotExist } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import type { Need } from "../../base/needs.ts";
import { checkEmoji, getEmojiByName, isEmojiCode } from "../../core/emoji/access.ts";
import type { Caller } from "../../services/identity/caller.ts";
import { findCachedProfiles } from "../../services/identity/profiles.ts";
import { visibleEmail } from "../../services/identity/visibility.ts";
import type { Realm } from "../../services/organization/access.ts";
import type { LoggedEvent } from "../../store/log/entry.ts";
import type { Change, NumberedChange } from "../../store/log/log.ts";
import type { Message } from "../../store/messages/messages.ts";
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
} from "../../store/messages/reactions.ts";
import { findEmojiIdByName } from "../../store/organization/emoji.ts";
import { messageAudience } from "../messages/audience.ts";

/** An emoji as a client names it: by name alone, or with code and type. */
interface RequestedEmoji {
  name?: string | undefined;
  code?: string | undefined;
  type?: ReactionType | undefined;
}

/**
 * Adds the caller's reaction. An existing reaction with the emoji decides its name and whether it may still be used. Conflicts if the
 * emoji has got another name on the message since that was read. At most 8 write units for a message below 1 KB.
 */
export async function react(caller: Caller, message: Message, emoji: Emoji, realm: Realm): Promise<NumberedChange> {
  if (findReactionSpelling(message, emoji, caller.id)) throw reactionAlreadyExists();
  const name = nameOnMessage(message, emoji);
  checkRoom(caller, message, name === undefined);
  if (name === undefined) await checkEmoji(emoji);
  const reaction = { ...emoji, name: name ?? emoji.name, userId: caller.id };
  const event = await reactionEvent(message, reaction, "add", realm);
  return { plan: ({ event: sequence }) => ({ writes: [addReaction(message, reaction, sequence)], events: [event] }) };
}

export const tooManyConcurrentReactions = () => badRequest("Too many concurrent reactions; try again.");

/** Refuses a reaction beyond the limits of a message, which has its reactions in its own item and in every reply. */
function checkRoom({ id }: Caller, message: Message, isNewEmoji: boolean): void {
  const reactions = reactionsOf(message);
  if (reactions.length >= creationLimits.reaction.max) throw badRequest("This message has too many reactions.");
  if (reactions.filter(({ userId }) => userId === id).length >= limits.emojiPerReactor)
    throw badRequest(`You can react to a message with at most ${limits.emojiPerReactor} emoji.`);
  if (isNewEmoji && new Set(reactions.map(({ type, code }) => `${type} ${code}`)).size >= limits.emojiPerMessage)
    throw badRequest(`A message can have reactions with at most ${limits.emojiPerMessage} different emoji.`);
}

/** Removes a reaction, even if its emoji was deactivated. Refused if it was removed meanwhile. */
export const unreact = async (message: Message, reaction: Reaction, realm: Realm): Promise<Change> => ({
  writes: [removeReaction(message, reaction)],
  events: [await reactionEvent(message, reaction, "remove", realm)],
  refusal: reactionDoesNotExist,
});

/** The caller's reaction that a request names; refuses one that there is not, and an unknown emoji. */
export const ownReaction: Need<
  Reaction,
  { caller: Caller; params: ReactionParams; message: Promise<{ message: Message }> }
> = {
  early: (sent) => {
    const name = sent("emoji_code") === undefined ? sent("emoji_name") : undefined;
    return name === undefined ? undefined : findEmojiIdByName(name);
  },
  load: async ({ caller, params: { emoji_name: name, emoji_code: code, reaction_type: type }, message: accessed }) => {
    const { message } = await accessed;
    const reaction = await findRequestedReaction(caller, message, { name, code, type });
    if (!reaction) throw reactionDoesNotExist();
    return reaction;
  },
};

interface ReactionParams {
  emoji_name?: string | undefined;
  emoji_code?: string | undefined;
  reaction_type?: ReactionType | undefined;
}

async function findRequestedReaction(
  caller: Caller,
  message: Message,
  requested: RequestedEmoji,
): Promise<Reaction | undefined> {
  const { name, code } = requested;
  if (name === undefined && code === undefined)
    throw badRequest("At least one of the following arguments must be present: emoji_name, emoji_code");
  const ownReactions = reactionsOf(message).filter(
    ({ userId, type }) => userId === caller.id && (requested.type === undefined || isSameType(type, requested.type)),
  );
  if (code !== undefined) {
    const reactionsWithCode = ownReactions.filter((reaction) => reaction.code === code);
    const found = reactionsWithCode.find((reaction) => reaction.name === name) ?? reactionsWithCode[0];
    if (!found && !(await isKnownCode(requested, code))) throw badRequest("Invalid emoji code.");
    return found;
  }
  const byName = ownReactions.find((reaction) => reaction.name === name);
  // A deactivated emoji cannot be found by name, but existing reactions contain its name.
  const emoji = await getEmojiByName(name ?? "").catch((error: unknown) => {
    if (byName) return undefined;
    throw error;
  });
  return ownReactions.find(({ code, type }) => code === emoji?.code && isSameType(type, emoji.type)) ?? byName;
}

const isSameType = (a: ReactionType, b: ReactionType) => canonicalType(a) === canonicalType(b);

/** Whether a code names an emoji of the requested type, or of any type if the request has none. */
async function isKnownCode({ type }: RequestedEmoji, code: string): Promise<boolean> {
  const types: ReactionType[] = type ? [type] : ["unicode_emoji", "realm_emoji", "service_extra_emoji"];
  const knownByKind = await Promise.all(types.map((kind) => isEmojiCode({ code, type: kind })));
  return knownByKind.includes(true);
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
