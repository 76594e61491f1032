import { batchesOf, mapInBatches } from "../../../base/batches.ts";
import type { ClientEvent, LogEvent, LogEventOf } from "../../../base/schema/event-types.ts";
import { toCaller } from "../../../services/identity/access.ts";
import type { Caller } from "../../../services/identity/caller.ts";
import { loadRealm, type Realm } from "../../../services/organization/access.ts";
import { commit } from "../../../store/log/log.ts";
import {
  dropStar,
  findStars,
  isPlacedAt,
  listStars,
  listStarsOf,
  placeStar,
  type Star,
  type StarPlace,
} from "../../../store/messages/message-flags.ts";
import { findMessages } from "../../../store/messages/messages.ts";
import { retryOnConflict } from "../../../store/table/conflicts.ts";
import { withConsistentReads } from "../../../store/table/consistency.ts";
import { findAccount } from "../../../store/users/accounts.ts";
import { findUser } from "../../../store/users/users.ts";
import { Reader } from "../reader.ts";
import { flagEvent } from "./actions.ts";

/**
 * A star says where its message is. It stays where it is stored when the message moves or remains where its owner can no longer see
 * it: it comes back with the access. What lists stars leaves it out meanwhile, as `is:starred` does.
 */

/** Whether the owner of a star, the reader, can see its message; the channel must have been loaded. Of version 0.1.0, nothing says. */
const isVisible = (reader: Reader, { userId, messageId, place }: Star): boolean =>
  place === undefined || reader.reach({ id: messageId, senderId: 0, userIds: [userId], ...place }) !== undefined;

const loadChannelsOf = (reader: Reader, places: readonly (StarPlace | undefined)[]) =>
  reader.load(places.flatMap((place) => place?.channelId ?? []));

/** A reader's stars. Costs 0.5 read units for 35 stars, and 1 for each channel with a starred message. */
async function starsOf(reader: Reader): Promise<Star[]> {
  const stars = reader.caller ? await listStars(reader.caller.id) : [];
  await loadChannelsOf(
    reader,
    stars.map(({ place }) => place),
  );
  return stars;
}

/** `starred_messages` of `/register`: what `is:starred` finds. */
export async function starredMessagesState(reader: Reader): Promise<{ starred_messages: number[] }> {
  const stars = await starsOf(reader);
  return { starred_messages: stars.filter((star) => isVisible(reader, star)).map(({ messageId }) => messageId) };
}

const usersAtOnce = 10;
/** With their event, in one transaction. */
const starsPerTransaction = 80;

/**
 * Lets stars follow messages that were deleted or moved to another channel, and tells their owners which they see and which no longer.
 * Clients know most of that from other events; but nothing else tells somebody who may read a private channel by a permission alone.
 * Costs 0.5 read units for each message, and for each star 5 read units and 4 write units. Idempotent.
 */
export async function followMessages(messageIds: readonly number[]): Promise<void> {
  const stars = (await mapInBatches(messageIds, usersAtOnce, listStarsOf)).flat();
  if (stars.length === 0) return;
  const realm = await loadRealm();
  const byUser = [...Map.groupBy(stars, ({ userId }) => userId)];
  await mapInBatches(byUser, usersAtOnce, async ([userId, starsOfUser]) => {
    const ids = starsOfUser.map(({ messageId }) => messageId);
    for (const part of batchesOf(ids, starsPerTransaction))
      await retryOnConflict(() => withConsistentReads(() => followForUser(userId, part, realm)));
  });
}

async function followForUser(userId: number, messageIds: readonly number[], realm: Realm): Promise<void> {
  const [user, stars, found] = await Promise.all([
    findUser(userId),
    findStars(userId, messageIds),
    findMessages(messageIds),
  ]);
  const account = user && (await findAccount(user.email));
  const messages = new Map(found.flatMap((message) => (message ? [[message.id, message]] : [])));
  const changed = stars.filter((star) => {
    const message = messages.get(star.messageId);
    return !message || !isPlacedAt(star, message);
  });
  if (!account || changed.length === 0) return;
  const reader = new Reader(toCaller(account), realm);
  await loadChannelsOf(reader, [...changed.map(({ place }) => place), ...messages.values()]);
  /** What a client may have to learn of a star: whether it is listed now. */
  const newsOf = (star: Star): boolean | undefined => {
    const message = messages.get(star.messageId);
    if (!message) return false;
    // A client may have dropped a star that is listed at both places: between them, its message may have been out of sight.
    if (isVisible(reader, { ...star, place: message })) return true;
    return isVisible(reader, star) ? false : undefined;
  };
  await commit({
    writes: changed.map((star) => {
      const message = messages.get(star.messageId);
      return message ? placeStar(star, message) : dropStar(star);
    }),
    events: [true, false].flatMap((isListed) => {
      const ids = changed.filter((star) => newsOf(star) === isListed).map(({ messageId }) => messageId);
      return ids.length > 0 ? [flagEvent(userId, isListed ? "add" : "remove", "starred", ids)] : [];
    }),
  });
}

/** The channels whose messages a user may begin or cease to see by an entry that becomes these events for them. */
function affectedChannels(event: LogEvent, shown: readonly Pick<ClientEvent, "type">[]): Set<number> {
  // A new channel has no messages.
  if (event.type === "stream" && event.op === "create") return new Set();
  // Another privacy, history or permission can open or close a channel's messages to people who see it before and after.
  if (event.type === "stream" && "is" in event && (event.property === "invite_only" || event.is?.invite_only))
    return new Set([event.stream_id]);
  return new Set(
    (shown as readonly ClientEvent[]).flatMap((one) => {
      if (one.type === "stream" && one.op === "delete") return one.stream_ids;
      if (one.type === "stream" && one.op === "create") return one.streams.map(({ stream_id }) => stream_id);
      if (one.type !== "subscription" || (one.op !== "add" && one.op !== "remove")) return [];
      return one.subscriptions.map(({ stream_id }) => stream_id);
    }),
  );
}

/**
 * Tells a client of its stars in channels whose messages the user may begin or cease to see: which are listed now and which are not.
 * With another role or group (`hasOtherPermissions`), these are also channels that the client sees before and after, or that it does
 * not know because they are archived. Costs 0.5 read units for users without stars.
 */
export async function starVisibilityEvents(
  event: LogEvent,
  shown: readonly Pick<ClientEvent, "type">[],
  { caller, realm, hasOtherPermissions }: { caller: Caller; realm: Realm; hasOtherPermissions: boolean },
): Promise<LogEventOf<"update_message_flags">[]> {
  const channelIds = affectedChannels(event, shown);
  if (channelIds.size === 0 && !hasOtherPermissions) return [];
  const reader = new Reader(caller, realm);
  const dependsOnPermissions = (id: number) =>
    hasOtherPermissions &&
    !reader.subscription(id)?.active &&
    (reader.channel(id)?.inviteOnly === true || reader.channel(id)?.isArchived === true);
  const stars = (await starsOf(reader)).filter(({ place: { channelId = 0 } = {} }) => {
    return channelIds.has(channelId) || dependsOnPermissions(channelId);
  });
  return [true, false].flatMap((isListed) => {
    const listed = stars.filter((star) => isVisible(reader, star) === isListed);
    if (listed.length === 0) return [];
    const logged = flagEvent(
      caller.id,
      isListed ? "add" : "remove",
      "starred",
      listed.map(({ messageId }) => messageId),
    );
    return [logged.event as LogEventOf<"update_message_flags">];
  });
}
