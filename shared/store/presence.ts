import { padded } from "./keys.ts";
import { queryItems } from "./queries.ts";
import { getItem, getItems, tableName } from "./table.ts";
import { updateItem } from "./transactions.ts";

/** When a person was last there. */
export interface Presence {
  userId: number;
  /** UNIX seconds in which they last did something; absent when never. */
  lastActive?: number;
  /** UNIX seconds in which a client of theirs was last connected. */
  lastConnected: number;
  /** Grows with each change in the organization: milliseconds since its creation. */
  updateId: number;
}

/** Each person's latest, all in one partition: at most 1 MB for 10,000. */
const key = (userId: number) => ({ pk: "PRESENCE", sk: padded(userId) });

/** What changed in a minute, so that whoever knows the rest reads no more than that; expires. */
const bucketMs = 60_000;
const bucketOf = (updateId: number) => Math.floor(updateId / bucketMs);
const changeKey = ({ updateId, userId }: Presence) => ({ pk: `PRESENCE#${bucketOf(updateId)}`, sk: padded(userId) });
const mostBuckets = 10;
const bucketSeconds = 3600;

/** 0.5 read units. */
export const findPresence = (userId: number) => getItem<Presence>(key(userId), { consistent: true });

export const findPresences = (userIds: readonly number[]) => getItems<Presence>(userIds.map(key));

/** 0.5 read units for about 80. */
export const listPresences = () => queryItems<Presence>({ pk: "PRESENCE" });

/** Organizations in which so many have been there are read whole with each ping, for less than what changed would cost. */
export const mostReadWhole = 100;
/** Tables, in which more have been: nobody's presence is ever removed. */
const large = new Set<string>();

/** Everybody's, read strongly, where at most 100 have ever been there: 1 read unit for about 40. Undefined where more have. */
export async function listFewPresences(): Promise<Presence[] | undefined> {
  const name = `${process.env.AWS_ENDPOINT_URL_DYNAMODB} ${tableName()}`;
  if (large.has(name)) return undefined;
  const found = await queryItems<Presence>({ pk: "PRESENCE", consistent: true, limit: mostReadWhole + 1 });
  if (found.length <= mostReadWhole) return found;
  large.add(name);
  return undefined;
}

/**
 * Those that changed after `updateId` was given. Up to ten minutes back it reads what changed since, 0.5 units a minute;
 * from further back, everybody. Two people who write in the same instant may be seen in the other order: then the one is
 * missed until their next ping, a minute later.
 */
export async function listPresencesSince(updateId: number, now: number): Promise<Presence[]> {
  const [first, last] = [bucketOf(updateId), bucketOf(now)];
  if (last - first >= mostBuckets) return (await listPresences()).filter((one) => one.updateId > updateId);
  const buckets = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
  const pages = await Promise.all(
    buckets.map((bucket) => queryItems<Presence>({ pk: `PRESENCE#${bucket}`, consistent: true })),
  );
  const newest = new Map<number, Presence>();
  for (const one of pages.flat()) if (one.updateId > updateId) newest.set(one.userId, one);
  return [...newest.values()];
}

/**
 * 2 write units, or 1 where all are read whole. Dying between the two leaves others to see the change with the next; so
 * does the moment in which the organization becomes one that is not read whole any more.
 */
export async function putPresence(presence: Presence, { readWhole = false } = {}): Promise<void> {
  await updateItem(key(presence.userId), { set: { ...presence } });
  if (readWhole) return;
  const expiresAt = Math.floor(Date.now() / 1000) + bucketSeconds;
  await updateItem(changeKey(presence), { set: { ...presence, expiresAt } });
}
