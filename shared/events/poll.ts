import { tiesAfter } from "../groups/ties.ts";
import { accessRealm } from "../organization/access.ts";
import { type EventQueue, keepEventQueue, touchSeconds, updateEventQueue } from "../store/event-queues.ts";
import { appendSilence, readHead } from "../store/log.ts";
import { isFollowedHere, type LogEntry } from "../store/log-memory.ts";
import { LogReader } from "../store/log-tail.ts";
import { ConditionFailed } from "../store/transactions.ts";
import type { Caller } from "../users/caller.ts";
import { followSubscriptions, isAddressed, isFilled } from "./audience.ts";
import { bellFor } from "./bells.ts";
import { type ClientEvent, type PlacedEvent, showEvents } from "./client-events.ts";
import { keepMemory, memoryOf, type PollMemory, prepareForMessages } from "./fresh-messages.ts";
import { heartbeatId } from "./ids.ts";
import { badEventQueueId, notInQueue, seenPlace } from "./queue.ts";
import { sharedRead } from "./shared-reads.ts";
import { beginWaiting } from "./waiting.ts";

/** Entries looked at, and bytes answered, at once: a reply must fit into what a Lambda may return. */
const entriesAtOnce = 200;
const bytesAtOnce = 3_000_000;
/** A function looks at the log this often; each look without news is half a read unit. */
const looks = { soonMs: 25, firstMs: 200, laterMs: 1000, followedMs: 10_000 };
/** A place moves further than this before it is kept although the queue is not due to be touched. */
const placesUnkept = 50;

/** How long a look that finds nothing stays for an event that is being written. */
const writersMs = 250;

export interface PollRequest {
  lastEventId: number | undefined;
  dontBlock: boolean;
  /** How long the poll may last. */
  holdMs: number;
}

/**
 * The next events of a queue, as soon as there are some; after `holdMs` a heartbeat. What the client has seen follows
 * from `lastEventId`, so that a reply that was lost is given again and no poll needs to write anything.
 */
export const poll = async (caller: Caller, queue: EventQueue, request: PollRequest): Promise<ClientEvent[]> =>
  (await nextEvents(caller, queue, request)) ?? [];

/**
 * The next events of a queue whose client waits at its bell: undefined when there are none now. An event that has its
 * number is waited for a moment, and one that a dead writer holds up until the place is closed: nobody rings for that.
 */
export const look = (caller: Caller, queue: EventQueue, lastEventId: number | undefined) =>
  nextEvents(caller, queue, { lastEventId, dontBlock: false, holdMs: writersMs, waitsElsewhere: true });

async function nextEvents(
  asked: Caller,
  queue: EventQueue,
  request: PollRequest & { waitsElsewhere?: true },
): Promise<ClientEvent[] | undefined> {
  const until = Date.now() + (request.dontBlock ? 0 : request.holdMs);
  const waiting = beginWaiting(queue.id);
  try {
    const seen = await catchUp(queue, request.lastEventId);
    const reader = new LogReader(seen.place);
    const channelIds = new Set(seen.channelIds);
    const memory = memoryOf(queue.id, seen.place);
    let caller = asked;
    for (let looked = 0; ; looked++) {
      if (waiting.ended) return [];
      if (looked > 0) await touchIfDue(queue, seen);
      const entries = await reader.next(entriesAtOnce);
      // Whoever joins a group while they wait has its permissions from then on.
      caller = { ...caller, ...joined(caller, entries) };
      const events = await eventsIn(caller, queue, entries, channelIds, memory);
      keepMemory(queue.id, reader.place, memory);
      const unseen = events.filter(({ id }) => id > (request.lastEventId ?? -1));
      if (unseen.length > 0) return withinReply(unseen);
      if (entries.length > 0) continue;
      const left = until - Date.now();
      if (request.waitsElsewhere && !reader.blocked && (left <= 0 || !reader.expecting)) return undefined;
      if (left <= 0 && !reader.blocked) {
        if (request.dontBlock) return [];
        const id = heartbeatId(queue.base, reader.place, request.lastEventId ?? -1);
        if (id !== undefined) return [{ type: "heartbeat", id }];
        // Nothing at all has happened for an hour: the log gets an entry from which heartbeats count anew.
        await appendSilence();
        continue;
      }
      if (hearsMessages(queue)) prepareForMessages(memory, caller, await sharedRead("realm", 500, accessRealm));
      const between = isFollowedHere() ? looks.followedMs : looked < 5 ? looks.firstMs : looks.laterMs;
      const interval = reader.expecting ? looks.soonMs : between;
      await waiting.pause(Math.max(1, left > 0 ? Math.min(left, interval) : interval));
    }
  } finally {
    waiting.done();
  }
}

interface Place {
  place: number;
  channelIds: ReadonlySet<number>;
}

/** Where the client is, with its subscriptions there: followed from where the queue was last kept. */
async function catchUp(queue: EventQueue, lastEventId: number | undefined): Promise<Place> {
  const target = seenPlace(queue, lastEventId);
  const channelIds = new Set(queue.channelIds);
  const reader = new LogReader(queue.place);
  while (reader.place < target) {
    const entries = await reader.next(Math.min(entriesAtOnce, target - reader.place));
    for (const entry of entries) followSubscriptions(channelIds, entry, queue.userId);
    // What a client has seen is there; a read that is a moment old may not show it yet.
    if (entries.length === 0 && target > (await readHead()).event) throw notInQueue(lastEventId ?? -1);
  }
  const seen = { place: target, channelIds };
  // Whoever rings must know of a new subscription before the log is looked at, or neither would tell of the next event.
  if ((queue.bell && isMoved(queue, channelIds)) || target - queue.place > placesUnkept) await touch(queue, seen);
  else await touchIfDue(queue, seen);
  return seen;
}

async function touchIfDue(queue: EventQueue, seen: Place) {
  if (Date.now() / 1000 - queue.usedAt >= touchSeconds(queue)) await touch(queue, seen);
}

const isMoved = (queue: EventQueue, channelIds: ReadonlySet<number>) =>
  channelIds.symmetricDifference(queue.channelIds ?? new Set()).size > 0;

/** Keeps where the client is: 1 write unit, where it is subscribed to what it was subscribed to when it was last kept. */
async function touch(queue: EventQueue, { place, channelIds }: Place) {
  const [from, moved] = [queue.place, isMoved(queue, channelIds)];
  Object.assign(queue, { place, channelIds: new Set(channelIds), usedAt: Math.floor(Date.now() / 1000) });
  // Of a queue that is not as it was read, or not there, the whole write decides.
  if (!moved && (await keepEventQueue(queue, from))) return;
  try {
    await updateEventQueue(queue, queue.bell ? bellFor(queue, channelIds) : []);
  } catch (error) {
    if (error instanceof ConditionFailed) throw badEventQueueId(queue.id);
    throw error;
  }
}

const hearsMessages = ({ eventTypes }: EventQueue) => eventTypes?.includes("message") ?? true;

function joined({ id, groupIds }: Caller, entries: readonly LogEntry[]): Pick<Caller, "groupIds"> {
  const ties = tiesAfter(entries.length, entries, id, { groupIds, subgroups: {} });
  return { groupIds: ties.groupIds };
}

async function eventsIn(
  caller: Caller,
  queue: EventQueue,
  entries: readonly LogEntry[],
  channelIds: Set<number>,
  memory: PollMemory,
) {
  const batch: PlacedEvent[] = [];
  for (const entry of entries) {
    if (entry.event?.type === "alert_words") memory.alertWords = undefined;
    if (isFilled(entry)) batch.push({ ...entry, addressed: isAddressed(entry, caller, channelIds) });
    followSubscriptions(channelIds, entry, caller.id);
  }
  return showEvents(caller, queue, batch, memory);
}

/** As many of the events as fit into a reply; the others come with the next poll. */
function withinReply(events: readonly ClientEvent[]): ClientEvent[] {
  const fitting: ClientEvent[] = [];
  let bytes = 0;
  for (const event of events) {
    bytes += JSON.stringify(event).length;
    if (bytes > bytesAtOnce && fitting.length > 0) break;
    fitting.push(event);
  }
  return fitting;
}
