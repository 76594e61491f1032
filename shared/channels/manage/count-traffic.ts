import type { Subscriber } from "../../jobs/log-consumer.ts";
import { type ChannelStats, findChannelStats, updateChannelStats } from "../../store/channels/channels.ts";
import { cursors } from "../../store/log/cursors.ts";
import type { LogEntry } from "../../store/log/entry.ts";
import { channelPartition, readPartition } from "../../store/messages/messages.ts";
import type { Update, Write } from "../../store/table/writes.ts";
import { dayOf } from "../traffic.ts";

/** Channels per transaction. */
const maxChannels = 90;

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
  step: async (entries) => {
    const { traffic, upTo } = countTraffic(entries);
    return { ...(upTo !== undefined && { upTo }), writes: await statsWrites(traffic) };
  },
};

/** Counts the messages of the given log entries, up to a sequence number where they would exceed `maxChannels`. */
function countTraffic(entries: readonly LogEntry[]): { traffic: Map<number, Traffic>; upTo?: number } {
  const traffic = new Map<number, Traffic>();
  for (const { sequence, at = Math.floor(Date.now() / 1000), audience, event } of entries) {
    if (event?.type !== "message" || audience?.kind !== "channel") continue;
    const known = traffic.get(audience.channelId) ?? { days: new Map<number, number>(), lastAt: 0 };
    if (!traffic.has(audience.channelId) && traffic.size === maxChannels) return { traffic, upTo: sequence - 1 };
    known.days.set(dayOf(at), (known.days.get(dayOf(at)) ?? 0) + 1);
    known.lastAt = Math.max(known.lastAt, at);
    traffic.set(audience.channelId, known);
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
  const past = Object.keys(stats ?? {}).filter(
    (name) => /^day\d+$/.test(name) && Number(name.slice(3)) < oldest && !days.has(Number(name.slice(3))),
  );
  return {
    set: { lastMessageAt: lastAt, ...(firstMessageId !== undefined && { firstMessageId }) },
    add: Object.fromEntries([...days].map(([day, count]) => [`day${day}`, count])),
    remove: past,
  };
}

async function findFirstMessageId(id: number): Promise<number | undefined> {
  const all = { from: 0, to: Number.MAX_SAFE_INTEGER, descending: false, limit: 1 };
  const [first] = await readPartition("gsi1", channelPartition(id), all);
  return first?.id;
}
