import { eventRetentionSeconds } from "../settings.ts";
import { padded } from "./keys.ts";
import { announce, remember } from "./log-memory.ts";
import { packed } from "./packing.ts";
import { getItem } from "./table.ts";
import { ConditionFailed, transact, updateItem } from "./transactions.ts";
import { create, type Write } from "./writes.ts";

/** The organization's log: every change with its event, in one order, written with the change itself. */

/** Who may see an event. */
export type Audience =
  | { kind: "everyone" }
  | { kind: "users"; userIds: number[] }
  /**
   * Those subscribed at the event's place in the log, and `userIds` beside them. An event about an older message names
   * it: who may not read that message (protected history) is not told.
   */
  | { kind: "channel"; channelId: number; userIds?: number[]; messageId?: number; arrivedAs?: number }
  /** Those who may know of the channel, and `userIds` beside them; `showChannelEvent` (shared/channels/feed.ts) decides. */
  | { kind: "channelViewers"; channelId: number; userIds?: number[] }
  | { kind: "administrators"; userIds?: number[] }
  /** People whose role's number is above `above` and at most `upTo`, but not `exceptIds`; and `userIds`. */
  | { kind: "roles"; above: number; upTo: number; exceptIds?: number[]; userIds?: number[] };

export interface LoggedEvent {
  audience: Audience;
  /** The event as clients receive it, without its ID; `type` names it. */
  event: { type: string; [field: string]: unknown };
}

/** Numbers that belong to one change: the place of its first event in the log, and the first of the IDs it asked for. */
export interface Numbers {
  event: number;
  message: number;
  scheduledMessage: number;
}

/** How many numbers a change needs. They all come from one item, so that any of them cost one write unit together. */
interface Need {
  events: number;
  messages?: number;
  scheduledMessages?: number;
}

interface Plan<T> {
  writes: Write[];
  events: LoggedEvent[];
  result: T;
}

/** The newest numbers given out, and when that was (UNIX seconds; absent until a version that notes it has given some). */
interface Head extends Numbers {
  at?: number;
}

const headKey = { pk: "LOG", sk: "HEAD" };

/** No writer that took its numbers earlier is still alive: a function lives half a minute at most. */
export const oldestWriterSeconds = 60;

/** Events are kept in partitions of 1,000, so that no partition grows for ever and a tail is one query. */
export const eventKey = (place: number) => ({ pk: logPartition(place), sk: padded(place) });
export const logPartition = (place: number) => `LOG#${Math.floor(place / placesPerPartition)}`;
export const placesPerPartition = 1000;

/** The newest numbers given out; 0 before the first. 1 read unit, or 0.5 when it may be a moment old. */
export async function readHead({ consistent = true } = {}): Promise<Head> {
  const head = await getItem<Head>(headKey, { consistent });
  return head ?? { event: 0, message: 0, scheduledMessage: 0 };
}

/**
 * Makes a change with its events in one transaction. `plan` gets fresh numbers and says what to write; it runs again
 * when a reader of the log has closed the numbers' place because the writer was slow, or when a later change has
 * overtaken it (`overtakable`). Throws ConditionFailed, with
 * positions among the plan's own writes, when one of their conditions does not hold.
 */
export async function commit<T>(need: Need, plan: (numbers: Numbers) => Plan<T> | Promise<Plan<T>>): Promise<T> {
  for (;;) {
    const { numbers, afterRest } = await takeNumbers(need);
    const { writes, events, result } = await plan(numbers);
    if (events.length !== need.events) throw new Error(`${events.length} events planned, ${need.events} asked for`);
    const places = events.map((_, index) => numbers.event + index);
    const entries = events.map((logged, index) =>
      create({ ...entryItem(places[index] as number, logged), ...(index === 0 && afterRest && { afterRest }) }),
    );
    try {
      await transact([...writes, ...entries]);
      const written = events.map((logged, index) => ({ place: places[index] as number, ...logged }));
      remember(written);
      announce(written);
      return result;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      const refused = error.failed.flatMap((position) => writes[position] ?? []);
      // Readers need not wait for places that will stay empty.
      if (refused.length > 0) await Promise.all(places.map(closePlace));
      if (!refused.every((write) => write.kind === "update" && write.overtakable)) throw error;
    }
  }
}

/**
 * An entry as it is stored, a long event packed, since one may carry a text and its HTML before and after an edit;
 * without an event, a place that no writer may take any more.
 */
function entryItem(place: number, { event, ...rest }: Partial<LoggedEvent>) {
  const now = Math.floor(Date.now() / 1000);
  const packedEvent = event && packed(JSON.stringify(event));
  return {
    ...eventKey(place),
    ...rest,
    ...(packedEvent ? { packedEvent } : { event }),
    at: now,
    expiresAt: now + eventRetentionSeconds,
  };
}

/** Closes a place that is still empty, so that a slow writer must take a new one; 1 write unit, or 2 where it was taken. */
export async function closePlace(place: number): Promise<void> {
  try {
    await transact([create({ ...entryItem(place, {}), closed: true })]);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
}

/** Adds an entry that nobody sees. */
export const appendSilence = (): Promise<void> =>
  commit({ events: 1 }, () => ({
    writes: [],
    events: [{ audience: { kind: "users", userIds: [] }, event: { type: "silence" } }],
    result: undefined,
  }));

/** Fresh numbers; `afterRest`: whoever took earlier ones has written by now or never will. */
async function takeNumbers({ events, messages = 0, scheduledMessages = 0 }: Need) {
  const at = Math.floor(Date.now() / 1000);
  const change = { set: { at }, add: { event: events, message: messages, scheduledMessage: scheduledMessages } };
  const before = await updateItem<Partial<Head>>(headKey, change, "ALL_OLD");
  const numbers: Numbers = {
    event: (before.event ?? 0) + 1,
    message: (before.message ?? 0) + 1,
    scheduledMessage: (before.scheduledMessage ?? 0) + 1,
  };
  return { numbers, afterRest: before.at !== undefined && before.at < at - oldestWriterSeconds };
}
