import { getItem, getItems } from "./table.ts";
import { transact, updateIf } from "./transactions.ts";
import { create, type Key, remove, update, type Write } from "./writes.ts";

/** What a client asked its queue to be when it registered (companion reference, D, Queue options). */
export interface QueueOptions {
  /** Absent: all types. */
  eventTypes?: string[];
  /** Terms that filter message events. */
  narrow: { operator: string; operand: string }[];
  allPublicStreams: boolean;
  applyMarkdown: boolean;
  clientGravatar: boolean;
  slimPresence: boolean;
  includeSubscribers: boolean | "partial";
  /** Names of the capabilities that the client has. */
  capabilities: string[];
}

/**
 * A client's place in the log. Written when the client registers and then about once in a fifth of its lifespan (two
 * minutes usually): what was acknowledged since follows from the client's own `last_event_id`.
 */
export interface EventQueue extends QueueOptions {
  id: string;
  userId: number;
  /** The place in the log from which event IDs count. */
  base: number;
  /** A place that the client has acknowledged. */
  place: number;
  /** The channels to which its owner is subscribed at `place`. */
  channelIds?: Set<number>;
  /** Seconds that it may be without a poll. */
  lifespan: number;
  /** UNIX seconds of a poll, not always the last. */
  usedAt: number;
  /** Whether it has a bell, at which its client waits. */
  bell?: true;
}

const key = (userId: number, id: string): Key => ({ pk: `USER#${userId}`, sk: `QUEUE#${id}` });

/** How many seconds `usedAt` may be behind. */
export const touchSeconds = ({ lifespan }: Pick<EventQueue, "lifespan">) => Math.min(120, Math.ceil(lifespan / 5));

export const expiryOf = (queue: EventQueue) => queue.usedAt + queue.lifespan + touchSeconds(queue);

/** Another user's queue is as absent as one that never was. 1 read unit for each 4 KB: about a thousand channels. */
export async function findEventQueue(userId: number, id: string, { consistent = true } = {}) {
  const queue = await getItem<EventQueue>(key(userId, id), { consistent });
  return queue && Date.now() / 1000 < expiryOf(queue) ? queue : undefined;
}

/** The same for several; 1 read unit for each, and more for those with a thousand channels. */
export async function findEventQueues(keys: readonly Pick<EventQueue, "userId" | "id">[]) {
  const queues = await getItems<EventQueue>(
    keys.map(({ userId, id }) => key(userId, id)),
    { consistent: true },
  );
  return queues.map((queue) => (queue && Date.now() / 1000 < expiryOf(queue) ? queue : undefined));
}

/** 2 write units for each KB. */
export const putEventQueue = (queue: EventQueue): Promise<void> =>
  transact([create({ ...key(queue.userId, queue.id), ...queue, ...channels(queue), expiresAt: expiryOf(queue) + 60 })]);

/**
 * Keeps where the client is, of a queue whose channels are as they were at the place `from`, where it was found: 1 write
 * unit. False, and nothing is kept, when it is no more there, or deleted.
 */
export const keepEventQueue = (queue: EventQueue, from: number): Promise<boolean> =>
  updateIf(
    key(queue.userId, queue.id),
    { set: { place: queue.place, usedAt: queue.usedAt, expiresAt: expiryOf(queue) + 60 } },
    { exists: true, equals: { place: from } },
  );

/**
 * Keeps where the client is, with `more` writes, 2 write units each; a queue that was deleted meanwhile stays so, and ConditionFailed is
 * thrown.
 */
export const updateEventQueue = (queue: EventQueue, more: readonly Write[] = []): Promise<void> =>
  transact([
    ...more,
    update(
      key(queue.userId, queue.id),
      {
        set: { place: queue.place, usedAt: queue.usedAt, expiresAt: expiryOf(queue) + 60, ...channels(queue) },
        ...(!queue.channelIds?.size && { remove: ["channelIds"] }),
      },
      { exists: true },
    ),
  ]);

/** An empty set cannot be stored. */
const channels = ({ channelIds }: EventQueue) => ({ channelIds: channelIds?.size ? channelIds : undefined });

export const deleteEventQueue = ({ userId, id }: EventQueue): Promise<void> => transact([remove(key(userId, id))]);
