import { nowSeconds, secondsPerDay } from "../../base/time.ts";
import type { ChannelWithStats } from "../../store/channels/channels.ts";

/** A channel's traffic, from counts that a log consumer maintains, so that sending a message costs no write for them. */

/** Days since 1970. */
export const dayOf = (seconds: number) => Math.floor(seconds / secondsPerDay);

/** Messages in the last seven days; null for a younger channel. */
export function weeklyTraffic({ createdAt, stats }: ChannelWithStats): number | null {
  const now = nowSeconds();
  if (now - createdAt < 7 * secondsPerDay) return null;
  const today = dayOf(now);
  let sum = 0;
  for (let daysAgo = 0; daysAgo < 7; daysAgo++) sum += stats[`day${today - daysAgo}`] ?? 0;
  return sum;
}

/** Whether a message was sent within 180 days; new channels count as active. */
export const isRecentlyActive = ({ createdAt, stats }: ChannelWithStats) =>
  nowSeconds() - Math.max(createdAt, stats.lastMessageAt ?? 0) < 180 * secondsPerDay;
