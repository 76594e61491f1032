import type { LogEventOf } from "../../../base/schema/event-types.ts";
import type { Caller } from "../../../services/identity/caller.ts";
import type { Realm } from "../../../services/organization/access.ts";
import { findMessages } from "../../../store/messages/messages.ts";
import { Reader, wasSubscribed } from "../reader.ts";
import { flagEvent, unreadDetails } from "./actions.ts";
import { flagsOf, isRead, readPersonalState } from "./flags.ts";

/**
 * A message that moves between channels keeps its marks, but becomes read where the user has no unread messages, or did not
 * receive it, and unread in the opposite case. These are the events that tell a client so, after that of the move. Costs 2 read
 * units, and 0.5 for each message whose flag may have changed.
 */
export async function movedUnreadEvents(
  event: LogEventOf<"update_message">,
  caller: Caller,
  realm: Realm,
): Promise<LogEventOf<"update_message_flags">[]> {
  const { stream_id: from, new_stream_id: to } = event;
  if (from === undefined || to === undefined) return [];
  const reader = new Reader(caller, realm);
  await reader.load([from, to]);
  const changesTracking = reader.tracksUnread(from) !== reader.tracksUnread(to);
  const wasReceivedIn = (channelId: number, id: number) => wasSubscribed(reader.subscription(channelId), id);
  const ids = event.message_ids.filter((id) => changesTracking || wasReceivedIn(from, id) !== wasReceivedIn(to, id));
  if (ids.length === 0 || !(reader.tracksUnread(from) || reader.tracksUnread(to))) return [];
  const topic = event.subject ?? event.orig_subject ?? "";
  const messages = (await findMessages(ids)).flatMap((message) =>
    message ? { ...message, channelId: to, topic } : [],
  );
  const state = await readPersonalState(reader, messages);
  const changed = messages.map((message) => ({
    message,
    before: isRead(reader, { ...message, channelId: from }, state.marks),
    after: isRead(reader, message, state.marks),
  }));
  const [read, unread] = [true, false].map((isNowRead) =>
    changed.flatMap(({ message, before, after }) => (before !== after && after === isNowRead ? message : [])),
  ) as [typeof messages, typeof messages];
  const details = Object.fromEntries(
    unread.map((message) => [message.id, unreadDetails(reader, message, flagsOf(reader, message, state))]),
  );
  const idsOf = (some: typeof messages) => some.map(({ id }) => id);
  return [
    ...(read.length > 0 ? [flagEvent(caller.id, "add", "read", idsOf(read))] : []),
    ...(unread.length > 0 ? [flagEvent(caller.id, "remove", "read", idsOf(unread), { message_details: details })] : []),
  ].map((logged) => logged.event as LogEventOf<"update_message_flags">);
}
