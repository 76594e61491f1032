import type { LogEvent } from "../../base/schema/event-types.ts";
import { roles } from "../../base/schema/roles.ts";

/** Who may see an event. */
export type Audience =
  | { kind: "everyone" }
  | { kind: "users"; userIds: number[] }
  /**
   * Users subscribed as of the entry's sequence number, and `userIds`. `messageId` names an older message that the event is
   * about, and `arrivedAs` has that message's `arrivedAs`, if any: a subscriber who may not read the message (protected
   * history) does not receive the event. So do users whose role is numbered at most `upTo`, subscribed or not.
   */
  | { kind: "channel"; channelId: number; userIds?: number[]; upTo?: number; messageId?: number; arrivedAs?: number }
  /**
   * Users who may know that the channel exists, and `userIds`; `toClientChannelEvents` (shared/core/channels/channel-events.ts)
   * decides.
   */
  | { kind: "channelViewers"; channelId: number; userIds?: number[] }
  | { kind: "administrators"; userIds?: number[] }
  /** Users whose role is numbered above `above` and at most `upTo`, except `exceptIds`; and `userIds`. */
  | { kind: "roles"; above: number; upTo: number; exceptIds?: number[]; userIds?: number[] };

export interface LoggedEvent {
  audience: Audience;
  event: LogEvent;
}

/** An event for one user. */
export const eventForUser = (userId: number, event: LogEvent): LoggedEvent => ({
  audience: { kind: "users", userIds: [userId] },
  event,
});

/** An event for the whole organization. */
export const eventForEveryone = (event: LogEvent): LoggedEvent => ({ audience: { kind: "everyone" }, event });

/** An event for everyone except guests. */
export const eventForMembers = (event: LogEvent): LoggedEvent => ({
  audience: { kind: "roles", above: 0, upTo: roles.member },
  event,
});

/** An entry of the log: an event with its audience, or a tombstone, which has neither. */
export interface LogEntry extends Partial<LoggedEvent> {
  sequence: number;
  /** UNIX seconds at which its number was reserved; of a tombstone, at which it was written. */
  at?: number;
}
