import { idOf, padded } from "./keys.ts";
import { queryItems } from "./queries.ts";
import { getItems } from "./table.ts";
import { deleteItem, updateItem } from "./transactions.ts";

/** That a user's devices show a notification of a message: who is told twice is told once, and reading takes it away. */

const keptSeconds = 30 * 86_400;
const key = (userId: number, messageId: number) => ({ pk: `USER#${userId}`, sk: `PUSHED#${padded(messageId)}` });

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
  await updateItem(key(userId, messageId), {
    set: {
      gsi3pk: `PUSHED#${messageId}`,
      gsi3sk: `USER#${padded(userId)}`,
      expiresAt: Math.floor(Date.now() / 1000) + keptSeconds,
    },
  });
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

/** Whether a user's devices show any notification; 0.5 read units. */
export const isShownAnything = async (userId: number): Promise<boolean> =>
  (await queryItems({ pk: `USER#${userId}`, prefix: "PUSHED#", limit: 1 })).length > 0;

async function readPushed(userId: number, first: number, last: number): Promise<number[]> {
  const [from, to] = [key(userId, first).sk, key(userId, last).sk];
  const items = await queryItems<{ sk: string }>({ pk: `USER#${userId}`, from, to, consistent: true });
  return items.map(({ sk }) => idOf(sk));
}

/** Users whose devices show a notification of a message; 0.5 read units for about 80. */
export const listPushedUsers = async (messageId: number): Promise<number[]> =>
  (await queryItems<{ gsi3sk: string }>({ index: "gsi3", pk: `PUSHED#${messageId}` })).map(({ gsi3sk }) =>
    idOf(gsi3sk),
  );

/** 2 write units. */
export const deletePushed = (userId: number, messageId: number): Promise<void> => deleteItem(key(userId, messageId));
