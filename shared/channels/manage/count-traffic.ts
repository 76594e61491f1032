import type { Subscriber } from "../../jobs/log-consumer.ts";
import { type ChannelStats, findChannelStats, updateChannelStats } from "../../store/channels/channels.ts";
import { cursors } from "../../store/log/cursors.ts";
import type { LogEntry } from "../../store/log/entry.ts";
import { channelPartition, readPartition } from "../../store/messages/messages.ts";
import type { Update, Write } from "../../store/table/writes.ts";
import { nowSeconds } from "../../time.ts";
import { dayOf } from "../traffic.ts";

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
    return { ...(upTo !== undefined && { upTo }), writes: await statsWrites(traffic) };
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
  return Promise.all(
    ids.map(async (id, index) =>
      updateChannelStats(id, await statsUpdate(id, stats[index], traffic.get(id) as Traffic)),
    ),
  );
}

async function statsUpdate(id: number, stats: ChannelStats | undefined, { days, lastAt }: Traffic): Promise<Update> {
  const firstMessageId = stats?.firstMessageId ?? (await findFirstMessageId(id));
  const oldest = dayOf(lastAt) - 7;
  const expiredDays = Object.keys(stats ?? {}).filter(
    (name) => /^day\d+$/.test(name) && Number(name.slice(3)) < oldest && !days.has(Number(name.slice(3))),
  );
  return {
    set: { lastMessageAt: lastAt, ...(firstMessageId !== undefined && { firstMessageId }) },
    add: Object.fromEntries([...days].map(([day, count]) => [`day${day}`, count])),
    remove: expiredDays,
  };
}

async function findFirstMessageId(id: number): Promise<number | undefined> {
  const oldestFirst = { from: 0, to: Number.MAX_SAFE_INTEGER, descending: false, limit: 1 };
  const [first] = await readPartition("gsi1", channelPartition(id), oldestFirst);
  return first?.id;
}
