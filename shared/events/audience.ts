import type { LoggedEvent } from "../store/log.ts";
import type { LogEntry } from "../store/log-memory.ts";
import { type Caller, isAdministrator } from "../users/caller.ts";

type Filled = LogEntry & LoggedEvent;

/** Whether there is an event at a place of the log; a closed place has none. */
export const isFilled = (entry: LogEntry): entry is Filled => entry.event !== undefined;

/** Whether a person with these subscriptions, at the event's place in the log, is among those who may see it. */
export function isAddressed({ audience }: LoggedEvent, caller: Caller, channelIds: ReadonlySet<number>): boolean {
  switch (audience.kind) {
    case "everyone":
      return true;
    case "users":
      return audience.userIds.includes(caller.id);
    case "channel":
      return channelIds.has(audience.channelId) || audience.userIds?.includes(caller.id) === true;
    // Decided where it is shown: it depends on the channel's permissions.
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
 * Follows a person's subscriptions through the log: the entries of their own joining and leaving say when each begins
 * and ends. The set is as of just before `entry` when this is called with it, and as of just after it on return.
 */
export function followSubscriptions(channelIds: Set<number>, { event }: LogEntry, userId: number): void {
  if (event?.type !== "subscription" || !(event.user_ids as number[] | undefined)?.includes(userId)) return;
  if (event.op === "join") channelIds.add(event.stream_id as number);
  if (event.op === "leave") channelIds.delete(event.stream_id as number);
}
