import { nowSeconds, secondsPerDay } from "../../base/time.ts";
import type { Presence } from "../../store/users/presence.ts";

/**
 * Presence rules, compatible with Zulip's. All times are UNIX seconds. A client that is connected by a WebSocket does not ping
 * each minute: it reports its user every four minutes, with an acknowledgement that it sends anyway, and each report holds for
 * some time. So the times of a presence may be in the future.
 */

/** A user whose last ping is older than this is offline. */
export const offlineAfterSeconds = 200;
/** A ping within this time of the last one writes nothing. */
export const minWriteIntervalSeconds = 55;
/**
 * How long a report by a WebSocket holds. The next one comes after 240 s, or 55 s later if a connection was opened again and wrote
 * nothing: before the user counts as newly online, and long before they count as offline. Who is gone without a word is offline
 * after 380 s.
 */
export const reportHoldsSeconds = 180;
/** A user who becomes active after being inactive for longer than this counts as newly online. */
export const newlyOnlineAfterSeconds = 130;
/** Users who were last seen longer ago than this are not listed, unless a request says otherwise. */
export const historyDays = 14;
/** Whether a user was seen recently enough to be listed, unless a request says otherwise. `now`: UNIX seconds. */
export const isListed = ({ lastActive = 0, lastConnected }: Times, now: number): boolean =>
  Math.max(lastActive, lastConnected) >= now - historyDays * secondsPerDay;
/** Organizations with more people get no presence events. */
export const maxPeopleForEvents = 100;

/** A user whose last ping as active is at most this much older than the last ping counts as active, not idle. */
const activeToleranceSeconds = 70;

/** The times of a presence after a ping that holds until `until`; undefined when nothing needs to be written. */
export function timesAfterPing(
  before: Presence | undefined,
  { isActive, until }: { isActive: boolean; until: number },
): Pick<Presence, "lastActive" | "lastConnected"> | undefined {
  const isDue = (time: number | undefined) => time === undefined || until - time >= minWriteIntervalSeconds;
  const updatesActive = isActive && isDue(before?.lastActive);
  if (!updatesActive && !isDue(before?.lastConnected)) return undefined;
  return {
    ...(before?.lastActive !== undefined && { lastActive: before.lastActive }),
    ...(updatesActive && { lastActive: until }),
    lastConnected: until,
  };
}

export const isNewlyOnline = (before: Presence | undefined, after: Pick<Presence, "lastActive">, now: number) =>
  after.lastActive !== before?.lastActive && now - (before?.lastActive ?? 0) > newlyOnlineAfterSeconds;

/** Replaces the caller's presence in a list with the current one, which an eventually consistent read may lack. */
export const withOwnPresence = (presences: readonly Presence[], own: Presence | undefined): readonly Presence[] =>
  own ? [...presences.filter(({ userId }) => userId !== own.userId), own] : presences;

type Times = Pick<Presence, "lastActive" | "lastConnected">;

/**
 * Keeps times in the future: clients get a presence only when it changes, and until then go by these times.
 */
export const toModernPresence = ({ lastActive, lastConnected }: Times, joinedAt: number) => ({
  active_timestamp: lastActive ?? joinedAt,
  idle_timestamp: lastConnected,
});

export function toWebsitePresence(times: Times, joinedAt: number) {
  const now = nowSeconds();
  const lastActive = Math.min(times.lastActive ?? joinedAt, now);
  const lastConnected = Math.min(times.lastConnected, now);
  const isActive = lastActive + activeToleranceSeconds >= lastConnected;
  return {
    client: "website",
    status: isActive ? "active" : "idle",
    timestamp: isActive ? lastActive : lastConnected,
    pushable: false,
  };
}

export function toLegacyPresence(times: Times, joinedAt: number) {
  const website = toWebsitePresence(times, joinedAt);
  const { pushable: _, ...aggregated } = website;
  return { aggregated, website };
}
