import type { Presence } from "../store/users/presence.ts";

/** Presence rules, compatible with Zulip's. All times are UNIX seconds. */

export const offlineAfterSeconds = 200;
/** A ping within this time of the last one writes nothing. */
export const minWriteIntervalSeconds = 55;
/** A user who becomes active after being inactive for longer than this counts as newly online. */
export const newlyOnlineAfterSeconds = 130;
export const historyDays = 14;
/** Larger organizations get no presence events. */
export const maxPeopleForEvents = 100;

const activeSlackSeconds = 70;

/** A presence after a ping; undefined when nothing needs to be written. */
export function afterPing(
  before: Presence | undefined,
  { active, now }: { active: boolean; now: number },
): Pick<Presence, "lastActive" | "lastConnected"> | undefined {
  const due = (time: number | undefined) => time === undefined || now - time >= minWriteIntervalSeconds;
  const becomesActive = active && due(before?.lastActive);
  if (!becomesActive && !due(before?.lastConnected)) return undefined;
  return {
    ...(before?.lastActive !== undefined && { lastActive: before.lastActive }),
    ...(becomesActive && { lastActive: now }),
    lastConnected: now,
  };
}

export const isNewlyOnline = (before: Presence | undefined, after: Pick<Presence, "lastActive">) =>
  after.lastActive !== undefined && after.lastActive - (before?.lastActive ?? 0) > newlyOnlineAfterSeconds;

/** Replaces the caller's presence in a list with the one just recorded, which an eventually consistent read may lack. */
export const withOwnPresence = (presences: readonly Presence[], own: Presence | undefined): readonly Presence[] =>
  own ? [...presences.filter(({ userId }) => userId !== own.userId), own] : presences;

type Times = Pick<Presence, "lastActive" | "lastConnected">;

export const toModernPresence = ({ lastActive, lastConnected }: Times, joinedAt: number) => ({
  active_timestamp: lastActive ?? joinedAt,
  idle_timestamp: lastConnected,
});

export function toWebsitePresence({ lastActive, lastConnected }: Times, joinedAt: number) {
  const active = (lastActive ?? joinedAt) + activeSlackSeconds >= lastConnected;
  return {
    client: "website",
    status: active ? "active" : "idle",
    timestamp: active ? (lastActive ?? joinedAt) : lastConnected,
    pushable: false,
  };
}

export function toLegacyPresence(times: Times, joinedAt: number) {
  const website = toWebsitePresence(times, joinedAt);
  const { pushable: _, ...aggregated } = website;
  return { aggregated, website };
}
