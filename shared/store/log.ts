import { eventRetentionSeconds } from "../settings.ts";
import { padded } from "./keys.ts";
import { ConditionFailed, getItem, transact, updateItem } from "./table.ts";
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
  | { kind: "channel"; channelId: number; userIds?: number[]; messageId?: number }
  /** Those who may know of the channel, and `userIds` beside them; `showChannelEvent` (shared/channels/feed.ts) decides. */
  | { kind: "channelViewers"; channelId: number; userIds?: number[] }
  | { kind: "administrators"; userIds?: number[] };

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

const headKey = { pk: "LOG", sk: "HEAD" };

/** Events are kept in partitions of 1,000, so that no partition grows for ever and a tail is one query. */
const eventKey = (sequence: number) => ({ pk: `LOG#${Math.floor(sequence / 1000)}`, sk: padded(sequence) });

/** The newest numbers given out; 0 before the first. */
export async function readHead(): Promise<Numbers> {
  const head = await getItem<Numbers>(headKey, { consistent: true });
  return head ?? { event: 0, message: 0, scheduledMessage: 0 };
}

/**
 * Makes a change with its events in one transaction. `plan` gets fresh numbers and says what to write; it runs again
 * when a reader of the log has closed the numbers' place because the writer was slow. Throws ConditionFailed, with
 * positions among the plan's own writes, when one of their conditions does not hold.
 */
export async function commit<T>(need: Need, plan: (numbers: Numbers) => Plan<T> | Promise<Plan<T>>): Promise<T> {
  for (;;) {
    const numbers = await takeNumbers(need);
    const { writes, events, result } = await plan(numbers);
    if (events.length !== need.events) throw new Error(`${events.length} events planned, ${need.events} asked for`);
    const now = Math.floor(Date.now() / 1000);
    const entries = events.map(({ audience, event }, index) =>
      create({ ...eventKey(numbers.event + index), audience, event, at: now, expiresAt: now + eventRetentionSeconds }),
    );
    try {
      await transact([...writes, ...entries]);
      return result;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      if (error.failed.some((position) => position < writes.length)) throw error;
    }
  }
}

async function takeNumbers({ events, messages = 0, scheduledMessages = 0 }: Need): Promise<Numbers> {
  const head = await updateItem<Numbers>(headKey, {
    add: { event: events, message: messages, scheduledMessage: scheduledMessages },
  });
  return {
    event: head.event - events + 1,
    message: head.message - messages + 1,
    scheduledMessage: head.scheduledMessage - scheduledMessages + 1,
  };
}
