import { findCountedPlace, moveCountedPlace } from "../store/channel-traffic.ts";
import { type ChannelStats, findChannelStats, updateChannelStats } from "../store/channels.ts";
import { readEntries, settledHead } from "../store/log-tail.ts";
import { channelPartition, readPartition } from "../store/messages.ts";
import { ConditionFailed, transact } from "../store/transactions.ts";
import type { Update, Write } from "../store/writes.ts";
import { dayOf } from "./traffic.ts";

/** Places of the log that are counted in one transaction, and channels that fit into it. */
const mostPlaces = 1000;
const mostChannels = 90;

interface Traffic {
  days: Map<number, number>;
  lastAt: number;
}

/**
 * Counts the messages that have come into the log since the last time, by channel and day, until `deadline`. What was
 * counted and up to where is one transaction: nothing is counted twice, however often this dies or runs at once.
 */
export async function countTraffic(deadline: number): Promise<void> {
  const head = await settledHead();
  let place = await findCountedPlace();
  while (place < head && Date.now() < deadline) {
    const { traffic, upTo } = await trafficSince(place, Math.min(place + mostPlaces, head));
    try {
      await transact([moveCountedPlace(place, upTo), ...(await statsOf(traffic))]);
    } catch (error) {
      // Someone else is counting: what is left is theirs.
      if (error instanceof ConditionFailed && error.failed.includes(0)) return;
      throw error;
    }
    place = upTo;
  }
}

/** What came in `(after, upTo]`, or less of it when that would be too many channels. */
async function trafficSince(after: number, upTo: number) {
  const traffic = new Map<number, Traffic>();
  for (const { place, at, audience, event } of await readEntries(after, upTo)) {
    if (event?.type !== "message" || audience?.kind !== "channel") continue;
    const known = traffic.get(audience.channelId) ?? { days: new Map<number, number>(), lastAt: 0 };
    if (!traffic.has(audience.channelId) && traffic.size === mostChannels) return { traffic, upTo: place - 1 };
    known.days.set(dayOf(at), (known.days.get(dayOf(at)) ?? 0) + 1);
    known.lastAt = Math.max(known.lastAt, at);
    traffic.set(audience.channelId, known);
  }
  return { traffic, upTo };
}

async function statsOf(traffic: ReadonlyMap<number, Traffic>): Promise<Write[]> {
  const ids = [...traffic.keys()];
  const stats = await findChannelStats(ids);
  return Promise.all(
    ids.map(async (id, index) => updateChannelStats(id, await changeOf(id, stats[index], traffic.get(id) as Traffic))),
  );
}

async function changeOf(id: number, stats: ChannelStats | undefined, { days, lastAt }: Traffic): Promise<Update> {
  const firstMessageId = stats?.firstMessageId ?? (await firstMessageOf(id));
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

async function firstMessageOf(id: number): Promise<number | undefined> {
  const all = { from: 0, to: Number.MAX_SAFE_INTEGER, descending: false, limit: 1 };
  const [first] = await readPartition("gsi1", channelPartition(id), all);
  return first?.id;
}
