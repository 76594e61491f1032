import type { Presence } from "../store/users/presence.ts";

/** Presence rules, compatible with Zulip's. All times are UNIX seconds. */

/** A user whose last ping is older than this is offline. */
export const offlineAfterSeconds = 200;
/** A ping within this time of the last one writes nothing. */
export const minWriteIntervalSeconds = 55;
/** A user who becomes active after being inactive for longer than this counts as newly online. */
export const newlyOnlineAfterSeconds = 130;
/** Users who were last seen longer ago than this are not listed, unless a request says otherwise. */
export const historyDays = 14;
/** Organizations with more people get no presence events. */
export const maxPeopleForEvents = 100;

/** A user whose last ping as active is at most this much older than the last ping counts as active, not idle. */
const activeToleranceSeconds = 70;

/** The times of a presence after a ping; undefined when nothing needs to be written. */
export function timesAfterPing(
  before: Presence | undefined,
  { isActive, now }: { isActive: boolean; now: number },
): Pick<Presence, "lastActive" | "lastConnected"> | undefined {
  const isDue = (time: number | undefined) => time === undefined || now - time >= minWriteIntervalSeconds;
  const updatesActive = isActive && isDue(before?.lastActive);
  if (!updatesActive && !isDue(before?.lastConnected)) return undefined;
  return {
    ...(before?.lastActive !== undefined && { lastActive: before.lastActive }),
    ...(updatesActive && { lastActive: now }),
    lastConnected: now,
  };
}

export const isNewlyOnline = (before: Presence | undefined, after: Pick<Presence, "lastActive">) =>
  after.lastActive !== undefined && after.lastActive - (before?.lastActive ?? 0) > newlyOnlineAfterSeconds;

/** Replaces the caller's presence in a list with the current one, which an eventually consistent read may lack. */
export const withOwnPresence = (presences: readonly Presence[], own: Presence | undefined): readonly Presence[] =>
  own ? [...presences.filter(({ userId }) => userId !== own.userId), own] : presences;

type Times = Pick<Presence, "lastActive" | "lastConnected">;

export const toModernPresence = ({ lastActive, lastConnected }: Times, joinedAt: number) => ({
  active_timestamp: lastActive ?? joinedAt,
  idle_timestamp: lastConnected,
});

export function toWebsitePresence({ lastActive, lastConnected }: Times, joinedAt: number) {
  const isActive = (lastActive ?? joinedAt) + activeToleranceSeconds >= lastConnected;
  return {
    client: "website",
    status: isActive ? "active" : "idle",
    timestamp: isActive ? (lastActive ?? joinedAt) : lastConnected,
    pushable: false,
  };
}

export function toLegacyPresence(times: Times, joinedAt: number) {
  const website = toWebsitePresence(times, joinedAt);
  const { pushable: _, ...aggregated } = website;
  return { aggregated, website };
}
