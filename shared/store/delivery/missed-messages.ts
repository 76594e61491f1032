import { idOf, padded } from "../table/keys.ts";
import { queryItems } from "../table/queries.ts";
import { getItem, getItems } from "../table/table.ts";
import { deleteIf, updateIf, updateItem } from "../table/transactions.ts";
import { type Condition, update, type Write } from "../table/writes.ts";

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

/** Notes a message for a user; true when it has been mailed, or is not to be, already. 1 write unit. */
export const noteMissed = async (userId: number, messageId: number): Promise<boolean> => {
  const change = { setIfAbsent: { expiresAt: expiring(keptWaitingSeconds) } };
  return (await updateItem<{ settled?: boolean }>(key(userId, messageId), change)).settled === true;
};

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
const listing = ({ userId, dueAt }: Pick<DueMail, "userId" | "dueAt">) => ({
  gsi3pk: "DUEMAILS",
  gsi3sk: `${padded(dueAt)}#USER#${padded(userId)}`,
});
const unchanged = ({ version, dueAt }: DueMail): Condition => ({ equals: { version, dueAt } });

/** Strongly consistent: 1 read unit. */
export const findDueMail = (userId: number) => getItem<DueMail>(dueKey(userId), { consistent: true });

/** Users whose mail was due at some time, at most `limit`, longest due first; 0.5 read units for about 80. */
export const listDueUserIds = async (atSeconds: number, limit: number): Promise<number[]> =>
  (await queryItems<{ gsi3sk: string }>({ index: "gsi3", pk: "DUEMAILS", to: padded(atSeconds), limit })).map(
    ({ gsi3sk }) => idOf(gsi3sk),
  );

/**
 * Says that one more message waits, to be mailed at `dueAt` where nothing waits yet: `version` is 1 then. To be done once
 * the message is noted: who has listed what waits before cannot say any more that it was all. 1 write unit, 2 for the first.
 */
export const awaitMail = (userId: number, dueAt: number): Promise<DueMail> => {
  const { gsi3pk, gsi3sk } = listing({ userId, dueAt });
  return updateItem<DueMail>(dueKey(userId), {
    set: { userId, gsi3pk },
    setIfAbsent: { dueAt, gsi3sk },
    add: { version: 1 },
  });
};

/** Puts somebody's mail off; false when something was noted meanwhile. */
export const postponeDueMail = (before: DueMail, dueAt: number): Promise<boolean> =>
  updateIf(dueKey(before.userId), { set: { dueAt, ...listing({ ...before, dueAt }) } }, unchanged(before));

/** Nothing waits any more; false when something was noted meanwhile. */
export const deleteDueMail = (before: DueMail): Promise<boolean> => deleteIf(dueKey(before.userId), unchanged(before));
