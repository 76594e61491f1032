import { describeError } from "../describe-error.ts";
import { bellsUrl } from "../settings.ts";
import { type Bell, deleteBell, listBells, moveBell, postponeBell, putBell } from "../store/bells.ts";
import { type EventQueue, expiryOf, findEventQueues } from "../store/event-queues.ts";
import type { LoggedEvent } from "../store/log.ts";
import type { LogEntry } from "../store/log-memory.ts";
import { transact } from "../store/transactions.ts";
import type { Write } from "../store/writes.ts";
import { isFilled } from "./audience.ts";
import { mayAcquaint, mayConcern } from "./client-events.ts";
import { eventId } from "./ids.ts";

/** Waiting without a function: the client waits at a bell of its queue's own, rung whenever something may concern it. */

const bells = () => import("../jobs/bells.ts");

/**
 * Makes a bell for a queue that is about to be; false where the fleet has none, and where that fails: then the queue's
 * polls wait by themselves. What is known of the bell is written first, so that none is ever forgotten.
 */
export async function openBell(queue: EventQueue): Promise<boolean> {
  if (!bellsUrl()) return false;
  const { id: queueId, userId, eventTypes, channelIds = new Set() } = queue;
  const hearsOthers = queue.allPublicStreams || queue.narrow.length > 0;
  try {
    const bell = { queueId, userId, dueAt: expiryOf(queue), ...(eventTypes && { eventTypes }) };
    await transact([putBell(hearsOthers ? bell : { ...bell, channelIds })]);
    await (await bells()).makeBell(queueId);
    return true;
  } catch (error) {
    console.error(JSON.stringify({ bell: "not made", error: describeError(error) }));
    return false;
  }
}

/** The SQS queue goes first: what is known of it must not be forgotten while it is there. */
export async function closeBell(queueId: string): Promise<void> {
  await (await bells()).removeBell(queueId);
  await deleteBell(queueId);
}

/** What is to be written of a queue's bell when its owner's channels are these. */
export const bellFor = (queue: EventQueue, channelIds: ReadonlySet<number>): Write[] =>
  queue.allPublicStreams || queue.narrow.length > 0 ? [] : [moveBell(queue.id, channelIds)];

/** Where a client begins to wait at its bell, below `/events/`; from there it is led on to `look` beside it. */
export const bellPath = ({ id, base, place }: EventQueue, lastEventId: number | undefined) =>
  `${id}/${lastEventId ?? eventId(base, place, 0, 1)}/wait-1`;

/** So many bells are rung at the same moment: those rung first need not wait for the last. */
const ringersAtOnce = 16;

/** Presence wakes nobody: clients ask for it once a minute by themselves, and look at their events as often. */
const isUrgent = ({ event }: LoggedEvent) => event.type !== "presence";

/** Rings the bells of all whom one of the entries may concern: too many rather than too few. */
export async function ringBells(entries: readonly LogEntry[]): Promise<void> {
  const news = entries.filter(isFilled).filter(isUrgent);
  if (news.length === 0) return;
  const { ringBell } = await bells();
  const concerned = (await listBells()).filter((bell) => news.some((entry) => concerns(bell, entry)));
  const failures: unknown[] = [];
  const ringers = Array.from({ length: ringersAtOnce }, async () => {
    for (let bell = concerned.pop(); bell; bell = concerned.pop())
      await ringBell(bell.queueId).catch((error: unknown) => failures.push(describeError(error)));
  });
  await Promise.all(ringers);
  // Whose bell stays silent looks for itself within a minute; to ring all others again would help nobody.
  if (failures.length > 0)
    console.error(JSON.stringify({ bells: "not rung", count: failures.length, error: failures[0] }));
}

function concerns(bell: Bell, entry: LoggedEvent): boolean {
  const { audience } = entry;
  // Whether its owner is a guest is not asked here: few clients want people alone.
  if (!mayConcern(bell, entry) && !mayAcquaint(bell, entry)) return false;
  if (audience.kind === "users") return audience.userIds.includes(bell.userId);
  if (audience.kind !== "channel") return true;
  return (bell.channelIds?.has(audience.channelId) ?? true) || audience.userIds?.includes(bell.userId) === true;
}

const sweptAtOnce = 500;

/** Removes the bells of queues that have expired or were deleted, 500 at most; the others are due again when theirs may. */
export async function sweepBells(): Promise<void> {
  const now = Date.now() / 1000;
  const due = (await listBells()).filter(({ dueAt }) => dueAt <= now).slice(0, sweptAtOnce);
  const queues = await findEventQueues(due.map(({ queueId, userId }) => ({ id: queueId, userId })));
  for (const [index, { queueId }] of due.entries()) {
    const queue = queues[index];
    if (queue) await postponeBell(queueId, expiryOf(queue));
    else await closeBell(queueId);
  }
}
