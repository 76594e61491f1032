import { nowSeconds } from "../../base/time.ts";
import { dayOf } from "../../core/channels/traffic.ts";
import { recordFirstMessage } from "../../messaging/messages/edit/first-message.ts";
import type { Subscriber } from "../../services/jobs/log-consumer.ts";
import { type ChannelStats, findChannelStats, updateChannelStats } from "../../store/channels/channels.ts";
import { cursors } from "../../store/log/cursors.ts";
import type { LogEntry } from "../../store/log/entry.ts";
import type { Update, Write } from "../../store/table/writes.ts";

/** Each channel is one write: DynamoDB allows 100 items in one transaction. */
const maxChannelsPerTransaction = 90;

interface Traffic {
  days: Map<number, number>;
  lastAt: number;
}

/**
 * Counts messages by channel and day from the log, so that sending a message costs no write for it. Counts and cursor
 * change in one transaction, so that each message is counted exactly once.
 */
export const trafficCounts: Subscriber = {
  name: "channel traffic",
  cursor: cursors.traffic,
  startsAt: "start",
  skipsExpired: true,
  events: ["message"],
  step: async (entries) => {
    const { traffic, upTo } = countTraffic(entries);
    const writes = await statsWrites(traffic);
    return { ...(upTo !== undefined && { upTo }), writes };
  },
};

/**
 * Counts the messages of the given log entries, up to a sequence number where they would exceed `maxChannelsPerTransaction`.
 */
function countTraffic(entries: readonly LogEntry[]): { traffic: Map<number, Traffic>; upTo?: number } {
  const traffic = new Map<number, Traffic>();
  for (const { sequence, at = nowSeconds(), audience, event } of entries) {
    if (event?.type !== "message" || audience?.kind !== "channel") continue;
    const counts = traffic.get(audience.channelId) ?? { days: new Map<number, number>(), lastAt: 0 };
    if (!traffic.has(audience.channelId) && traffic.size === maxChannelsPerTransaction)
      return { traffic, upTo: sequence - 1 };
    counts.days.set(dayOf(at), (counts.days.get(dayOf(at)) ?? 0) + 1);
    counts.lastAt = Math.max(counts.lastAt, at);
    traffic.set(audience.channelId, counts);
  }
  return { traffic };
}

async function statsWrites(traffic: ReadonlyMap<number, Traffic>): Promise<Write[]> {
  const ids = [...traffic.keys()];
  const stats = await findChannelStats(ids);
  for (const [index, id] of ids.entries()) if (stats[index]?.firstMessageId === undefined) await recordFirstMessage(id);
  return ids.map((id, index) => updateChannelStats(id, statsUpdate(stats[index], traffic.get(id) as Traffic)));
}

function statsUpdate(stats: ChannelStats | undefined, { days, lastAt }: Traffic): Update {
  const oldest = dayOf(lastAt) - 7;
  const expiredDays = Object.keys(stats ?? {}).filter(
    (name) => /^day\d+$/.test(name) && Number(name.slice(3)) < oldest && !days.has(Number(name.slice(3))),
  );
  return {
    set: { lastMessageAt: lastAt },
    add: Object.fromEntries([...days].map(([day, count]) => [`day${day}`, count])),
    remove: expiredDays,
  };
}
