import { ProcessCache } from "../../base/process-cache.ts";
import { nowSeconds } from "../../base/time.ts";
import type { Organization } from "../organization/organization.ts";
import { lagging } from "../table/consistency.ts";
import { padded } from "../table/keys.ts";
import { getItem, getItems, queryItems } from "../table/reads.ts";
import { updateItem } from "../table/single-writes.ts";
import { update, type Write } from "../table/writes.ts";

/** When a user was last active and connected. */
export interface Presence {
  userId: number;
  /** UNIX seconds of the user's last activity; absent when there was none. */
  lastActive?: number;
  /** UNIX seconds at which a client of the user was last connected. */
  lastConnected: number;
  /** Grows with each change in the organization: milliseconds since its creation. */
  updateId: number;
}

/** All users' latest presences share a partition: at most 1 MB for 10,000. */
const key = (userId: number) => ({ pk: "PRESENCE", sk: padded(userId) });

/** The update ID of a change made now. */
export const updateIdNow = ({ createdAt }: Pick<Organization, "createdAt">) => Date.now() - createdAt * 1000;

/** Changes are also written to a partition for each minute, in the order of their update IDs. They expire after an hour. */
const minuteMs = 60_000;
export const minuteOf = (updateId: number) => Math.floor(updateId / minuteMs);
/** The first update ID of a minute. */
export const startOfMinute = (minute: number) => minute * minuteMs;
const changeKey = ({ updateId, userId }: Presence) => ({
  pk: `PRESENCE#${minuteOf(updateId)}`,
  sk: `${padded(updateId)}#${padded(userId)}`,
});
const retentionSeconds = 3600;

export const findPresence = (userId: number) => getItem<Presence>(key(userId));

/** For the price of one read of an item, so many presences of the partition are listed. */
const listedPerRead = 80;
/** How many presences there were at least when this process last listed them. There are never fewer, because none is deleted. */
const knownCount = new ProcessCache<"presences", number>({ minRetained: 1 });

/**
 * The presences of some users, eventually consistent: 0.5 read units each, or less by a list of all presences where these are few.
 */
export async function findPresences(userIds: readonly number[]): Promise<(Presence | undefined)[]> {
  const limit = userIds.length * listedPerRead;
  if (userIds.length > 1 && (knownCount.get("presences") ?? 0) < limit) {
    const listed = await queryItems<Presence>({ pk: "PRESENCE", limit, ...lagging });
    knownCount.set("presences", listed.length);
    const presences = new Map(listed.map((presence) => [presence.userId, presence]));
    if (listed.length < limit) return userIds.map((id) => presences.get(id));
  }
  return getItems<Presence>(userIds.map(key), lagging);
}

/** 0.5 read units for about 80. */
export const listPresences = () => queryItems<Presence>({ pk: "PRESENCE", ...lagging });

/** Up to this many presences in the organization, each ping reads all of them, which costs less than reading changes. */
export const maxReadWhole = 100;

/** All presences; 1 read unit for about 40; undefined when there are more than `maxReadWhole`. */
export async function listFewPresences(): Promise<Presence[] | undefined> {
  if ((knownCount.get("presences") ?? 0) > maxReadWhole) return undefined;
  const found = await queryItems<Presence>({ pk: "PRESENCE", limit: maxReadWhole + 1 });
  knownCount.set("presences", found.length);
  return found.length > maxReadWhole ? undefined : found;
}

/** The changes since an update ID; 1 read unit for about 40, and at least 1 for each minute. */
export async function readChanges(from: number, now: number): Promise<Presence[]> {
  const first = minuteOf(from);
  const minutes = Array.from({ length: Math.max(0, minuteOf(now) - first + 1) }, (_, index) => first + index);
  const pages = await Promise.all(
    minutes.map((minute) =>
      queryItems<Presence>({ pk: `PRESENCE#${minute}`, ...(minute === first && { from: padded(from) }) }),
    ),
  );
  return pages.flat();
}

/**
 * Stores a user's presence: 2 write units, or 1 in an organization whose presences are all read with each ping. If the process
 * dies between the two writes, or the organization outgrows that limit at this moment, clients see the change with the user's
 * next ping.
 */
export async function putPresence(presence: Presence, { readWhole = false } = {}): Promise<void> {
  await updateItem(key(presence.userId), { set: { ...presence } });
  if (readWhole) return;
  await putChange(presence);
}

/** Writes of a presence with another change, as by `putPresence`. */
export const presenceWrites = (presence: Presence): Write[] => [
  update(key(presence.userId), { set: { ...presence } }),
  update(changeKey(presence), { set: recordOf(presence) }),
];

/** Records a change for clients that read changes since an update ID; 1 write unit. */
export async function putChange(presence: Presence): Promise<void> {
  await updateItem(changeKey(presence), { set: recordOf(presence) });
}

const recordOf = (presence: Presence) => ({ ...presence, expiresAt: nowSeconds() + retentionSeconds });
