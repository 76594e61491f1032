import { type Caller, isAdministrator } from "../identity/caller.ts";
import type { LogEntry, LoggedEvent } from "../store/log/entry.ts";

type FilledEntry = LogEntry & LoggedEvent;

/** Whether an entry has an event; a tombstone has none. */
export const hasEvent = (entry: LogEntry): entry is FilledEntry => entry.event !== undefined;

/** Whether a user with these subscriptions, as of the event's sequence number, is in its audience. */
export function isAddressed({ audience }: LoggedEvent, caller: Caller, channelIds: ReadonlySet<number>): boolean {
  switch (audience.kind) {
    case "everyone":
      return true;
    case "users":
      return audience.userIds.includes(caller.id);
    case "channel":
      return channelIds.has(audience.channelId) || audience.userIds?.includes(caller.id) === true;
    // `showChannelEvent` decides, because it depends on the channel's permissions.
    case "channelViewers":
      return true;
    case "administrators":
      return isAdministrator(caller) || audience.userIds?.includes(caller.id) === true;
    case "roles":
      if (audience.userIds?.includes(caller.id)) return true;
      if (audience.exceptIds?.includes(caller.id)) return false;
      return caller.role > audience.above && caller.role <= audience.upTo;
  }
}

/**
 * Applies an entry to the set of a user's channels, which is as of just before `entry` at the call and as of just after it on
 * return. The user's own joins and leaves are entries of the log.
 */
export function followSubscriptions(channelIds: Set<number>, { event }: LogEntry, userId: number): void {
  if (event?.type !== "subscription" || event.op === "update" || !event.user_ids.includes(userId)) return;
  if (event.op === "join") channelIds.add(event.stream_id);
  else channelIds.delete(event.stream_id);
}
