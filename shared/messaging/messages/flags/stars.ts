import type { ClientEvent, LogEvent, LogEventOf } from "../../../base/schema/event-types.ts";
import type { Caller } from "../../../services/identity/caller.ts";
import type { Realm } from "../../../services/organization/access.ts";
import { listStarred } from "../../../store/messages/message-flags.ts";
import { findMessages, type MessageSummary } from "../../../store/messages/messages.ts";
import { Reader } from "../reader.ts";
import { flagEvent } from "./actions.ts";

/**
 * A star stays where it is stored when its message is deleted, or moves or remains where the reader can no longer see it: it comes
 * back with the access. What lists stars leaves it out meanwhile, as `is:starred` does.
 */

/**
 * Of how many messages with the newest stars it is looked up whether the reader can see them. Nobody pays more than 500 read units for
 * a registration with them, however many stars they have.
 */
const maxExamined = 500;

interface Stars {
  /** The newest starred messages, those that exist. */
  messages: MessageSummary[];
  /** The IDs of the older ones, which may be deleted or out of sight. */
  olderIds: number[];
}

/** A reader's stars. Costs 0.5 read units for 40 stars, and up to 1 for each message of the newest `maxExamined`. */
async function listStars(reader: Reader): Promise<Stars> {
  const ids = reader.caller ? await listStarred(reader.caller.id) : [];
  const messages = (await findMessages(ids.slice(-maxExamined))).flatMap((message) => {
    if (!message) return [];
    const { content: _, html: __, ...summary } = message;
    return [summary];
  });
  await reader.load(messages.flatMap(({ channelId }) => channelId ?? []));
  return { messages, olderIds: ids.slice(0, -maxExamined) };
}

/** `starred_messages` of `/register`: what `is:starred` finds, and stars that are older than the newest `maxExamined`. */
export async function starredMessagesState(reader: Reader): Promise<{ starred_messages: number[] }> {
  const { messages, olderIds } = await listStars(reader);
  const reachable = messages.filter((message) => reader.reach(message)).map(({ id }) => id);
  return { starred_messages: [...olderIds, ...reachable] };
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
  const { messages } = await listStars(reader);
  const starred = messages.filter(({ channelId = 0 }) => channelIds.has(channelId) || dependsOnPermissions(channelId));
  return [true, false].flatMap((isListed) => {
    const ids = starred.filter((message) => (reader.reach(message) !== undefined) === isListed);
    if (ids.length === 0) return [];
    const logged = flagEvent(
      caller.id,
      isListed ? "add" : "remove",
      "starred",
      ids.map(({ id }) => id),
    );
    return [logged.event as LogEventOf<"update_message_flags">];
  });
}
