import { ProcessCache } from "../../process-cache.ts";
import type { Organization } from "../organization/organization.ts";
import { padded } from "../table/keys.ts";
import { queryItems } from "../table/queries.ts";
import { getItem, getItems } from "../table/table.ts";
import { updateItem } from "../table/transactions.ts";

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

/** What updates in an organization are numbered by. */
export const updateIdNow = ({ createdAt }: Pick<Organization, "createdAt">) => Date.now() - createdAt * 1000;

/** What changed in a minute, in the order of update IDs, so that whoever has looked reads on from there; expires. */
const minuteMs = 60_000;
export const minuteOf = (updateId: number) => Math.floor(updateId / minuteMs);
/** The first update ID of a minute. */
export const startOf = (minute: number) => minute * minuteMs;
const changeKey = ({ updateId, userId }: Presence) => ({
  pk: `PRESENCE#${minuteOf(updateId)}`,
  sk: `${padded(updateId)}#${padded(userId)}`,
});
const keptSeconds = 3600;

/** 1 read unit. */
export const findPresence = (userId: number) => getItem<Presence>(key(userId), { consistent: true });

export const findPresences = (userIds: readonly number[]) => getItems<Presence>(userIds.map(key), { mayLag: true });

/** 0.5 read units for about 80. */
export const listPresences = () => queryItems<Presence>({ pk: "PRESENCE", mayLag: true });

/** Organizations in which so many have been there are read whole with each ping, for less than what changed would cost. */
export const maxReadWhole = 100;
/** Whether more have been in the table: nobody's presence is ever removed. */
const known = new ProcessCache<"large", true>({ max: 1 });

/** Everybody's, read strongly, where at most 100 have ever been there: 1 read unit for about 40. Undefined where more have. */
export async function listFewPresences(): Promise<Presence[] | undefined> {
  if (known.get("large")) return undefined;
  const found = await queryItems<Presence>({ pk: "PRESENCE", consistent: true, limit: maxReadWhole + 1 });
  if (found.length <= maxReadWhole) return found;
  known.set("large", true);
  return undefined;
}

/** The changes from an update ID up to the present minute, read strongly: 1 unit for about 40, and at least 1 a minute. */
export async function readChanges(from: number, now: number): Promise<Presence[]> {
  const first = minuteOf(from);
  const minutes = Array.from({ length: Math.max(0, minuteOf(now) - first + 1) }, (_, index) => first + index);
  const pages = await Promise.all(
    minutes.map((minute) =>
      queryItems<Presence>({
        pk: `PRESENCE#${minute}`,
        ...(minute === first && { from: padded(from) }),
        consistent: true,
      }),
    ),
  );
  return pages.flat();
}

/**
 * 2 write units, or 1 where all are read whole. Dying between the two leaves others to see the change with the next; so
 * does the moment in which the organization becomes one that is not read whole any more.
 */
export async function putPresence(presence: Presence, { readWhole = false } = {}): Promise<void> {
  await updateItem(key(presence.userId), { set: { ...presence } });
  if (readWhole) return;
  await putChange(presence);
}

/** Tells those who read on from where they have looked; 1 write unit. */
export async function putChange(presence: Presence): Promise<void> {
  const expiresAt = Math.floor(Date.now() / 1000) + keptSeconds;
  await updateItem(changeKey(presence), { set: { ...presence, expiresAt } });
}
