import { getItem, getItems, queryItems } from "../table/reads.ts";
import { updateIf } from "../table/single-writes.ts";
import { transact } from "../table/transactions.ts";
import { create, type Key, type Refusal, remove, update, type Write, withRefusal } from "../table/writes.ts";

/** The options of `POST /register` (https://zulip.com/api/register-queue). */
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
  /** The client capabilities that are true. */
  capabilities: string[];
  /** Whether the client knows the server's own emoji only by their legacy type (`shared/base/schema/extra-emoji-type.ts`). */
  legacyExtraType?: true;
}

/**
 * An event queue: a client's cursor into the log. It is written at registration and then about every fifth of its lifespan
 * (usually two minutes); in between, a poll's `last_event_id` says what the client has acknowledged.
 */
export interface EventQueue extends QueueOptions {
  id: string;
  userId: number;
  /** The sequence number from which event IDs count. */
  base: number;
  /** How many IDs each entry of the log has in this queue. Absent: 256. */
  idsPerEntry?: number;
  /** A sequence number up to which the client has acknowledged every event. */
  sequence: number;
  /** The channels to which the owner was subscribed as of `sequence`. Absent: none. */
  channelIds?: Set<number>;
  /** Seconds without a poll after which the queue expires. */
  lifespan: number;
  /** UNIX seconds of a recent poll, not always the last one (`maxUsedAtLagSeconds`). */
  usedAt: number;
  /** Whether a record says which events concern the client (`WakeUpQueueRecord`). */
  hasWakeUpQueue?: true;
  /** The WebSocket connection to which the client's events are posted. */
  connectionId?: string;
  /** The hash of the ticket with which the client may open a connection, until it is used. */
  ticketHash?: string;
  /** The account that the ticket was issued for: its address, and the hash of the key that was used for it. */
  connectedAs?: { email: string; keyHash: string };
}

/** The queue, unless it has expired. */
const live = (queue: EventQueue | undefined): EventQueue | undefined =>
  queue && Date.now() / 1000 < expiryOf(queue) ? queue : undefined;

/** How long after a queue's expiry DynamoDB may delete its item. */
const deletionDelaySeconds = 60;

const key = (userId: number, id: string): Key => ({ pk: `USER#${userId}`, sk: `QUEUE#${id}` });

/** How many seconds `usedAt` may lag behind the last poll: at most two minutes. */
export const maxUsedAtLagSeconds = ({ lifespan }: Pick<EventQueue, "lifespan">) =>
  Math.min(120, Math.ceil(lifespan / 5));

export const expiryOf = (queue: EventQueue) => queue.usedAt + queue.lifespan + maxUsedAtLagSeconds(queue);

/** Does not find another user's queue. 1 read unit for each 4 KB: about a thousand channels. */
export const findEventQueue = async (userId: number, id: string): Promise<EventQueue | undefined> =>
  live(await getItem<EventQueue>(key(userId, id)));

/** Several event queues, in the order of `keys`; 1 read unit each, more for those with a thousand channels. */
export async function findEventQueues(keys: readonly Pick<EventQueue, "userId" | "id">[]) {
  const items = await getItems<EventQueue>(keys.map(({ userId, id }) => key(userId, id)));
  return items.map(live);
}

/** A user's live queues; 1 read unit for about five. */
export async function listEventQueues(userId: number): Promise<EventQueue[]> {
  const items = await queryItems<EventQueue>({ pk: `USER#${userId}`, prefix: "QUEUE#" });
  return items.flatMap((item) => live(item) ?? []);
}

/** 2 write units for each KB. */
export const putEventQueue = (queue: EventQueue): Promise<void> =>
  transact([create({ ...key(queue.userId, queue.id), ...queue, ...channels(queue), ...cursorOf(queue) })]);

/** The attributes that change as a client polls. */
const cursorOf = (queue: EventQueue) => ({
  sequence: queue.sequence,
  usedAt: queue.usedAt,
  expiresAt: expiryOf(queue) + deletionDelaySeconds,
});

/**
 * Saves the cursor of a queue whose channels are unchanged since `from`, the stored sequence number: 1 write unit. False, and
 * nothing is saved, when another poll moved the cursor or the queue was deleted.
 */
export const saveQueueCursor = (queue: EventQueue, from: number): Promise<boolean> =>
  updateIf(key(queue.userId, queue.id), { set: cursorOf(queue) }, { exists: true, equals: { sequence: from } });

/**
 * Saves the cursor and the channels in one transaction with `otherWrites`, 2 write units each. Throws `deleted` when the queue
 * was deleted meanwhile.
 */
export const updateEventQueue = (
  queue: EventQueue,
  otherWrites: readonly Write[] = [],
  deleted?: Refusal,
): Promise<void> =>
  transact(
    [
      ...otherWrites,
      update(
        key(queue.userId, queue.id),
        {
          set: { ...cursorOf(queue), ...channels(queue) },
          ...(!queue.channelIds?.size && { remove: ["channelIds"] }),
        },
        { exists: true },
      ),
    ],
    { refusal: deleted },
  );

/** Stores a ticket, and for whom it was issued: 1 write unit. False when the queue was deleted. */
export const saveTicket = (
  { userId, id }: Pick<EventQueue, "userId" | "id">,
  ticket: Required<Pick<EventQueue, "ticketHash" | "connectedAs">>,
): Promise<boolean> => updateIf(key(userId, id), { set: ticket }, { exists: true });

/** Replaces a ticket by the connection that was opened with it: 1 write unit. False when the ticket is another. */
export const useTicket = (
  { userId, id }: Pick<EventQueue, "userId" | "id">,
  ticketHash: string,
  connectionId: string,
): Promise<boolean> =>
  updateIf(key(userId, id), { set: { connectionId }, remove: ["ticketHash"] }, { equals: { ticketHash } });

/** Marks that the record of the events that concern the client exists. */
export const markNotified = ({ userId, id }: EventQueue, deleted: Refusal): Write =>
  withRefusal(update(key(userId, id), { set: { hasWakeUpQueue: true } }, { exists: true }), deleted);

/** Removes that mark: 1 write unit. False when the queue was polled or deleted meanwhile. */
export const unmarkNotified = ({ userId, id, usedAt }: EventQueue): Promise<boolean> =>
  updateIf(key(userId, id), { remove: ["hasWakeUpQueue"] }, { exists: true, equals: { usedAt } });

/** Removes a connection from its queue, unless another one has replaced it: 1 write unit. */
export const removeQueueConnection = (
  { userId, id }: Pick<EventQueue, "userId" | "id">,
  connectionId: string,
): Promise<boolean> => updateIf(key(userId, id), { remove: ["connectionId"] }, { equals: { connectionId } });

/** DynamoDB stores no empty set. */
const channels = ({ channelIds }: EventQueue) => ({ channelIds: channelIds?.size ? channelIds : undefined });

export const deleteEventQueue = ({ userId, id }: EventQueue): Promise<void> => transact([remove(key(userId, id))]);
