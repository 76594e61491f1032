import type { Need } from "../../base/needs.ts";
import type { Caller } from "../../services/identity/caller.ts";
import { listSubscriptions, type Subscription } from "../../store/channels/subscriptions.ts";
import type { EventQueue, QueueOptions } from "../../store/delivery/event-queues.ts";
import { type Numbers, readHead } from "../../store/log/log.ts";
import { settledHead } from "../../store/log/settled-head.ts";
import { noteHead } from "../../store/table/log-end.ts";
import { withRequestScope } from "../../store/table/recent-writes.ts";
import { withSnapshot } from "../../store/table/snapshot.ts";
import { closeQueue, openQueue } from "./queue.ts";

/** The log's head, at which a queue begins. */
export const logHead: Need<Numbers> = { early: () => readHead(), load: settledHead };

/**
 * Opens an event queue and returns the snapshot that its events continue. The queue starts at the log's `head` before the
 * snapshot is read, so no event is lost. Newer messages are left out of the snapshot, so that none is delivered twice; any
 * other change made during the read is in the snapshot and repeated by an event that sets the same state again.
 */
export async function register<Snapshot>(
  caller: Caller,
  head: Numbers,
  options: QueueOptions & { lifespanSeconds?: number | undefined },
  readSnapshot: (head: Numbers) => Promise<Snapshot>,
): Promise<{ queue: EventQueue; snapshot: Snapshot }> {
  const { event: base, message: newestMessage } = head;
  // Reads from here on must include every write up to the head, so this request must not use recent writes that it loaded
  // earlier.
  return withRequestScope(() => {
    noteHead(head);
    return withSnapshot(async () => {
      // Started first, because it prefetches items that opening the queue needs as well.
      const snapshotRead = readSnapshot(head);
      const opening = listSubscriptions(caller.id).then((subscriptions) =>
        openQueue(caller, options, { base, channelIds: subscribedAt(subscriptions, newestMessage) }),
      );
      try {
        const [snapshot, queue] = await Promise.all([snapshotRead, opening]);
        return { queue, snapshot };
      } catch (error) {
        // Clients try again, and nobody would poll the queues of their failed attempts.
        await opening.then(closeQueue).catch(() => {});
        throw error;
      }
    });
  });
}

/** Opens a queue without reading a snapshot. */
export const registerQueue = async (caller: Caller, options: QueueOptions): Promise<EventQueue> =>
  (await register(caller, await settledHead(), options, async () => undefined)).queue;

/**
 * The channels to which a user was subscribed when the newest message was `newest`. A later join or leave may be included
 * if no message was sent in between, which is harmless: the log's entry of the join or leave repeats it.
 */
const subscribedAt = (subscriptions: readonly Subscription[], newest: number): Set<number> =>
  new Set(
    subscriptions
      .filter(({ periods }) =>
        periods.some(([from, to = Number.POSITIVE_INFINITY]) => from <= newest + 1 && newest + 1 < to),
      )
      .map(({ channelId }) => channelId),
  );
