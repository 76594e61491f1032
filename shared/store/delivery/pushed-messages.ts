import { idOf, padded } from "../table/keys.ts";
import { queryItems } from "../table/queries.ts";
import { getItems } from "../table/table.ts";
import { deleteItem, updateItem } from "../table/transactions.ts";

/** That a user's devices show a notification of a message: who is told twice is told once, and reading takes it away. */

const keptSeconds = 30 * 86_400;
const key = (userId: number, messageId: number) => ({ pk: `USER#${userId}`, sk: `PUSHED#${padded(messageId)}` });
/**
 * The same by message: in the table itself, since an index may not show yet what is shown when its message is deleted.
 * Written first and deleted last, so that whoever dies between the two leaves no notification that nobody finds.
 */
const keyByMessage = (userId: number, messageId: number) => ({
  pk: `PUSHED#${messageId}`,
  sk: `USER#${padded(userId)}`,
});

/** Of some users, those who have been told of a message; 1 read unit each. */
export async function findPushed(userIds: readonly number[], messageId: number): Promise<Set<number>> {
  const items = await getItems<object>(
    userIds.map((userId) => key(userId, messageId)),
    { consistent: true },
  );
  return new Set(userIds.filter((_, index) => items[index]));
}

/** 2 write units. */
export async function putPushed(userId: number, messageId: number): Promise<void> {
  const expiry = { set: { expiresAt: Math.floor(Date.now() / 1000) + keptSeconds } };
  await updateItem(keyByMessage(userId, messageId), expiry);
  await updateItem(key(userId, messageId), expiry);
}

/** Those of some messages of which a user's devices show notifications; 1 read unit for about 80 between the ends. */
export async function listPushed(userId: number, messageIds: readonly number[]): Promise<number[]> {
  if (messageIds.length === 0) return [];
  const wanted = new Set(messageIds);
  const sorted = [...wanted].sort((a, b) => a - b);
  const between = await readPushed(userId, sorted[0] ?? 0, sorted.at(-1) ?? 0);
  return between.filter((id) => wanted.has(id));
}

/** All messages of which a user's devices show notifications; 1 read unit for about 80. */
export const listAllPushed = (userId: number) => readPushed(userId, 0, Number.MAX_SAFE_INTEGER);

async function readPushed(userId: number, first: number, last: number): Promise<number[]> {
  const [from, to] = [key(userId, first).sk, key(userId, last).sk];
  const items = await queryItems<{ sk: string }>({ pk: `USER#${userId}`, from, to, consistent: true });
  return items.map(({ sk }) => idOf(sk));
}

/** Users whose devices show a notification of a message; strongly consistent, 1 read unit for about 80. */
export const listPushedUsers = async (messageId: number): Promise<number[]> =>
  (await queryItems<{ sk: string }>({ pk: `PUSHED#${messageId}`, consistent: true })).map(({ sk }) => idOf(sk));

/** 2 write units. */
export async function deletePushed(userId: number, messageId: number): Promise<void> {
  await deleteItem(key(userId, messageId));
  await deleteItem(keyByMessage(userId, messageId));
}
