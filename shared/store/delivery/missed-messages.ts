import { nowSeconds, secondsPerDay } from "../../time.ts";
import { idOf, padded } from "../table/keys.ts";
import { queryItems } from "../table/queries.ts";
import { deleteIf, updateIf, updateItem } from "../table/single-writes.ts";
import { getItem, getItems } from "../table/table.ts";
import { type Condition, update, type Write } from "../table/writes.ts";

/** Messages that users receive by e-mail unless they read them first, and when each user's next e-mail is due. */

/** A message's job may be redelivered for this long, and must not record the message again. */
const handledRetentionSeconds = 8 * secondsPerDay;
/** Exceeds the longest batching period plus the time in which an operator may redrive a job. */
const waitingRetentionSeconds = 30 * secondsPerDay;

const key = (userId: number, messageId: number) => ({ pk: `USER#${userId}`, sk: `MISSED#${padded(messageId)}` });
const expiryIn = (seconds: number) => nowSeconds() + seconds;

/** Those of the given users for whom a message has been recorded, waiting or handled; 1 read unit each. */
export async function findUsersWithMissed(userIds: readonly number[], messageId: number): Promise<Set<number>> {
  const items = await getItems<object>(
    userIds.map((userId) => key(userId, messageId)),
    { consistent: true },
  );
  return new Set(userIds.filter((_, index) => items[index]));
}

/** IDs of the messages waiting to be e-mailed to a user, ascending; 1 read unit for about 40. */
export async function listMissedIds(userId: number): Promise<number[]> {
  const items = await queryItems<{ sk: string; settled?: boolean }>({
    pk: `USER#${userId}`,
    prefix: "MISSED#",
    consistent: true,
  });
  return items.filter(({ settled }) => !settled).map(({ sk }) => idOf(sk));
}

/** Records a missed message for a user; true when it was handled already. Idempotent; 1 write unit. */
export const putMissed = async (userId: number, messageId: number): Promise<boolean> => {
  const change = { setIfAbsent: { expiresAt: expiryIn(waitingRetentionSeconds) } };
  return (await updateItem<{ settled?: boolean }>(key(userId, messageId), change)).settled === true;
};

/** Marks a message as e-mailed or as no longer to be e-mailed; fails when it was handled already. */
export const markMissedHandled = (userId: number, messageId: number): Write =>
  update(
    key(userId, messageId),
    { set: { settled: true, expiresAt: expiryIn(handledRetentionSeconds) } },
    { exists: true, equals: { settled: undefined } },
  );

/** A user's next e-mail; exists while messages wait for it. */
export interface DueMail {
  userId: number;
  /** UNIX seconds. */
  dueAt: number;
  /** Incremented by each message that is recorded. */
  version: number;
}

const dueKey = (userId: number) => ({ pk: `USER#${userId}`, sk: "DUEMAIL" });
const indexKeys = ({ userId, dueAt }: Pick<DueMail, "userId" | "dueAt">) => ({
  gsi3pk: "DUEMAILS",
  gsi3sk: `${padded(dueAt)}#USER#${padded(userId)}`,
});
const unchanged = ({ version, dueAt }: DueMail): Condition => ({ equals: { version, dueAt } });

/** Strongly consistent: 1 read unit. */
export const findDueMail = (userId: number) => getItem<DueMail>(dueKey(userId), { consistent: true });

/** Users whose e-mail is due before a time, at most `limit`, the most overdue first; 0.5 read units for about 80. */
export const listDueUserIds = async (atSeconds: number, limit: number): Promise<number[]> =>
  (await queryItems<{ gsi3sk: string }>({ index: "gsi3", pk: "DUEMAILS", to: padded(atSeconds), limit })).map(
    ({ gsi3sk }) => idOf(gsi3sk),
  );

/**
 * Counts one more waiting message. The first one sets `dueAt`, and the result's `version` is then 1. Must follow `putMissed`:
 * the higher version keeps a worker that listed the waiting messages before from deleting the record. 1 write unit, 2 for the
 * first message.
 */
export const scheduleDueMail = (userId: number, dueAt: number): Promise<DueMail> => {
  const { gsi3pk, gsi3sk } = indexKeys({ userId, dueAt });
  return updateItem<DueMail>(dueKey(userId), {
    set: { userId, gsi3pk },
    setIfAbsent: { dueAt, gsi3sk },
    add: { version: 1 },
  });
};

/** Postpones a user's e-mail; false when a message was recorded meanwhile. */
export const postponeDueMail = (before: DueMail, dueAt: number): Promise<boolean> =>
  updateIf(dueKey(before.userId), { set: { dueAt, ...indexKeys({ ...before, dueAt }) } }, unchanged(before));

/** Called when no message waits any more; false when one was recorded meanwhile. */
export const deleteDueMail = (before: DueMail): Promise<boolean> => deleteIf(dueKey(before.userId), unchanged(before));
