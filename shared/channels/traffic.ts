import type { CountedChannel } from "../store/channels.ts";

/** How busy a channel is, from the counts that an hourly job takes out of the log: sending a message costs nothing for it. */

const day = 86_400;

/** Days since 1970. */
export const dayOf = (seconds: number) => Math.floor(seconds / day);

/** Messages of the last seven days; null while the channel is younger than that. */
export function weeklyTraffic({ createdAt, stats }: CountedChannel, now = Date.now() / 1000): number | null {
  if (now - createdAt < 7 * day) return null;
  const today = dayOf(now);
  let sum = 0;
  for (let past = 0; past < 7; past++) sum += stats[`day${today - past}`] ?? 0;
  return sum;
}

/** Whether something was written within 180 days; a new channel counts as active. */
export const isRecentlyActive = ({ createdAt, stats }: CountedChannel, now = Date.now() / 1000) =>
  now - Math.max(createdAt, stats.lastMessageAt ?? 0) < 180 * day;
