import { nowSeconds, secondsPerDay } from "../../base/time.ts";
import { batchWrite } from "../table/bulk.ts";
import { padded } from "../table/keys.ts";
import { getItems, queryIds } from "../table/reads.ts";
import { deleteItem } from "../table/single-writes.ts";

/**
 * Records which messages a user's devices show a notification of, so that redelivered jobs do not notify twice and reading a
 * message retracts its notification.
 */

const retentionSeconds = 30 * secondsPerDay;
const key = (userId: number, messageId: number) => ({ pk: `USER#${userId}`, sk: `PUSHED#${padded(messageId)}` });
/**
 * A second item for lookups by message. An index might lag, and a deleted message's notification would stay. It is written
 * before the notification is sent and deleted last, so that a process that dies in between leaves no notification that cannot
 * be found.
 */
const keyByMessage = (userId: number, messageId: number) => ({
  pk: `PUSHED#${messageId}`,
  sk: `USER#${padded(userId)}`,
});

/** Those of the given users who were notified of a message; 1 read unit each. */
export async function findPushedUsers(userIds: readonly number[], messageId: number): Promise<Set<number>> {
  const items = await getItems<object>(userIds.map((userId) => key(userId, messageId)));
  return new Set(userIds.filter((_, index) => items[index]));
}

const expiry = () => ({ expiresAt: nowSeconds() + retentionSeconds });

/** Records that users are about to be notified. 1 write unit each. */
export const putPushing = (userIds: readonly number[], messageId: number): Promise<void> =>
  batchWrite(userIds.map((userId) => ({ ...keyByMessage(userId, messageId), ...expiry() })));

/** Records that users were notified. 1 write unit each. */
export const putPushed = (userIds: readonly number[], messageId: number): Promise<void> =>
  batchWrite(userIds.map((userId) => ({ ...key(userId, messageId), ...expiry() })));

/** The IDs among `messageIds` of which a user's devices show notifications; 1 read unit for about 80 records in their range. */
export async function listPushedAmong(userId: number, messageIds: readonly number[]): Promise<number[]> {
  if (messageIds.length === 0) return [];
  const wanted = new Set(messageIds);
  const sorted = [...wanted].sort((a, b) => a - b);
  const pushedIds = await readPushed(userId, sorted[0] ?? 0, sorted.at(-1) ?? 0);
  return pushedIds.filter((id) => wanted.has(id));
}

/** The IDs of all messages of which a user's devices show notifications; 1 read unit for about 80. */
export const listAllPushed = (userId: number) => readPushed(userId, 0, Number.MAX_SAFE_INTEGER);

const readPushed = (userId: number, first: number, last: number) =>
  queryIds({ pk: `USER#${userId}`, from: key(userId, first).sk, to: key(userId, last).sk });

/** Users whose devices may show a notification of a message, of all or between two IDs; 1 read unit for about 80. */
export function listPushedUsers(messageId: number, { from = 0, to = Number.MAX_SAFE_INTEGER } = {}): Promise<number[]> {
  const [first, last] = [keyByMessage(from, messageId), keyByMessage(to, messageId)];
  return queryIds({ pk: first.pk, from: first.sk, to: last.sk });
}

export async function deletePushed(userId: number, messageId: number): Promise<void> {
  await deleteItem(key(userId, messageId));
  await deleteItem(keyByMessage(userId, messageId));
}
