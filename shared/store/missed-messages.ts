import { idOf, padded } from "./keys.ts";
import { queryItems } from "./queries.ts";
import { getItem, getItems } from "./table.ts";
import { transact } from "./transactions.ts";
import { create, put, remove, update, type Write } from "./writes.ts";

/** Messages of which people are told by e-mail unless they read them first, and when each person's next mail is due. */

/** A job about a message may come again for so long; whom it concerned is remembered until then. */
const keptSeconds = 8 * 86_400;
/** Longer than the longest batching period and a redrive. */
const keptWaitingSeconds = 30 * 86_400;

const key = (userId: number, messageId: number) => ({ pk: `USER#${userId}`, sk: `MISSED#${padded(messageId)}` });
const expiring = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

/** Of some users, those for whom a message has been noted, mailed or not; 1 read unit each. */
export async function findNoted(userIds: readonly number[], messageId: number): Promise<Set<number>> {
  const items = await getItems<object>(
    userIds.map((userId) => key(userId, messageId)),
    { consistent: true },
  );
  return new Set(userIds.filter((_, index) => items[index]));
}

/** IDs of the messages that wait to be mailed to a user, ascending; 1 read unit for about 40. */
export async function listMissed(userId: number): Promise<number[]> {
  const items = await queryItems<{ sk: string; settled?: boolean }>({
    pk: `USER#${userId}`,
    prefix: "MISSED#",
    consistent: true,
  });
  return items.filter(({ settled }) => !settled).map(({ sk }) => idOf(sk));
}

/** Marks a message as mailed, or as not to be mailed any more; fails when it is so already. */
export const settleMissed = (userId: number, messageId: number): Write =>
  update(
    key(userId, messageId),
    { set: { settled: true, expiresAt: expiring(keptSeconds) } },
    { exists: true, equals: { settled: undefined } },
  );

/** That somebody has messages waiting. */
export interface DueMail {
  userId: number;
  /** UNIX seconds. */
  dueAt: number;
  /** Grows with each message that is noted. */
  version: number;
}

const dueKey = (userId: number) => ({ pk: `USER#${userId}`, sk: "DUEMAIL" });
const dueItem = (due: DueMail) => ({
  ...dueKey(due.userId),
  ...due,
  gsi3pk: "DUEMAILS",
  gsi3sk: `${padded(due.dueAt)}#USER#${padded(due.userId)}`,
});
const unchanged = (before: DueMail | undefined) =>
  before ? { equals: { version: before.version, dueAt: before.dueAt } } : { exists: false };

/** Strongly consistent: 1 read unit. */
export const findDueMail = (userId: number) => getItem<DueMail>(dueKey(userId), { consistent: true });

/** Users whose mail was due at some time, at most `limit`, longest due first; 0.5 read units for about 80. */
export const listDueUserIds = async (atSeconds: number, limit: number): Promise<number[]> =>
  (await queryItems<{ gsi3sk: string }>({ index: "gsi3", pk: "DUEMAILS", to: padded(atSeconds), limit })).map(
    ({ gsi3sk }) => idOf(gsi3sk),
  );

/** Notes a message; write 0 fails when another was noted since `before` was read, write 1 when this one is noted already. */
export const noteMissed = (before: DueMail | undefined, due: DueMail, messageId: number): Promise<void> =>
  transact([
    put(dueItem(due), unchanged(before)),
    create({ ...key(due.userId, messageId), expiresAt: expiring(keptWaitingSeconds) }),
  ]);

/** Puts somebody's mail off; fails when something was noted meanwhile. */
export const postponeDueMail = (before: DueMail, dueAt: number): Promise<void> =>
  transact([put(dueItem({ ...before, dueAt }), unchanged(before))]);

/** Nothing waits any more; fails when something was noted meanwhile. */
export const deleteDueMail = (before: DueMail): Promise<void> =>
  transact([remove(dueKey(before.userId), unchanged(before))]);
