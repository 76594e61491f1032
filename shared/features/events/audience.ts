import { type Caller, isAdministrator } from "../../services/identity/caller.ts";
import type { LogEntry, LoggedEvent } from "../../store/log/entry.ts";

type FilledEntry = LogEntry & LoggedEvent;

/** Whether an entry has an event; a tombstone has none. */
export const hasEvent = (entry: LogEntry): entry is FilledEntry => entry.event !== undefined;

/** Whether `caller`, who was subscribed to `channelIds` as of the event's sequence number, is in the event's audience. */
export function isAddressed({ audience }: LoggedEvent, caller: Caller, channelIds: ReadonlySet<number>): boolean {
  switch (audience.kind) {
    case "everyone":
      return true;
    case "users":
      return audience.userIds.includes(caller.id);
    case "channel":
      return (
        channelIds.has(audience.channelId) ||
        audience.userIds?.includes(caller.id) === true ||
        caller.role <= (audience.upTo ?? 0)
      );
    // `toClientChannelEvents` decides, because it depends on the channel's permissions.
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
 * Updates the set of a user's channels by an entry of the log. The set must be as of the entry before. A user's own joins and
 * leaves are entries of the log, too.
 */
export function followSubscriptions(channelIds: Set<number>, { event }: LogEntry, userId: number): void {
  if (event?.type !== "subscription" || event.op === "update" || !event.user_ids.includes(userId)) return;
  if (event.op === "join") channelIds.add(event.stream_id);
  else channelIds.delete(event.stream_id);
}
