import { enqueue, enqueueAll } from "../jobs/queues.ts";
import { accessRealm, type Realm } from "../organization/access.ts";
import { type Channel, findChannel, listChannels } from "../store/channels.ts";
import { findExpiryCursor, setExpiryCursor } from "../store/expiry.ts";
import { readHead } from "../store/log.ts";
import { channelPartition, findMessages, type Message, readPartition } from "../store/messages.ts";
import { transact } from "../store/transactions.ts";
import { removeTogether } from "./deletion.ts";
import { removeExpired } from "./expiry-jobs.ts";
import { isExpired, keptSince } from "./retention.ts";

/** Messages of one transaction: of a channel's topic, and between people, who have a pointer each. */
const batchSize = 50;
/** How many IDs are looked at together when direct messages are sought. */
const stride = 100;
/** Milliseconds after which a job leaves the rest to the next one. */
const patience = 120_000;

const oldestFirst = { from: 0, to: Number.MAX_SAFE_INTEGER, descending: false };

/** Sends a job for each channel whose oldest message has expired: one query each, of those that keep messages for a time. */
export async function findExpired(): Promise<void> {
  const [realm, channels] = await Promise.all([accessRealm(), listChannels()]);
  const limited = channels.filter((channel) => keptSince(channel, realm.settings) > 0);
  for (let start = 0; start < limited.length; start += 25) {
    const part = limited.slice(start, start + 25);
    const holding = await Promise.all(part.map((channel) => holdsExpired(channel, realm)));
    const jobs = part.filter((_, index) => holding[index]).map(({ id }) => ({ channel_id: id }));
    await enqueueAll(removeExpired, jobs);
  }
  if (keptSince(undefined, realm.settings) > 0) await enqueue(removeExpired, {});
}

async function holdsExpired(channel: Channel, { settings }: Realm): Promise<boolean> {
  const [oldest] = await readPartition("gsi1", channelPartition(channel.id), { ...oldestFirst, limit: 1 });
  return oldest !== undefined && isExpired(oldest, channel, settings);
}

/** Removes what has expired in a channel, oldest first; what time does not suffice for is left to another job. */
export async function expireChannel(channelId: number): Promise<void> {
  const [realm, channel] = await Promise.all([accessRealm(), findChannel(channelId)]);
  const deadline = Date.now() + patience;
  let from = 0;
  while (channel && Date.now() < deadline) {
    const range = { ...oldestFirst, from, limit: batchSize };
    const page = await readPartition("gsi1", channelPartition(channelId), range);
    const expired = page.filter((message) => isExpired(message, channel, realm.settings));
    const topics = Map.groupBy(expired, ({ topic = "" }) => topic.toLowerCase());
    for (const messages of topics.values()) await removeTogether(messages);
    if (expired.length < batchSize) return;
    from = (expired.at(-1)?.id ?? from) + 1;
  }
  if (channel) await enqueue(removeExpired, { channel_id: channelId });
}

/** Removes expired direct messages: all messages are looked at once in their lives, in the order of their IDs. */
export async function expireDirectMessages(): Promise<void> {
  const [{ settings }, head, cursor] = await Promise.all([accessRealm(), readHead(), findExpiryCursor()]);
  const deadline = Date.now() + patience;
  const since = keptSince(undefined, settings);
  let from = cursor;
  while (from <= head.message && Date.now() < deadline) {
    const next = await expireBetweenPeople(from, Math.min(from + stride - 1, head.message), since);
    if (next > from) await transact([setExpiryCursor(next)]);
    if (next < Math.min(from + stride, head.message + 1)) return;
    from = next;
  }
  if (from <= head.message) await enqueue(removeExpired, {});
}

/** Removes direct messages with IDs of a range that were sent before `since`; returns the first ID that it left. */
export async function expireBetweenPeople(from: number, to: number, since: number): Promise<number> {
  const ids = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const found = await findMessages(ids, { consistent: true });
  const end = found.findIndex((message) => message !== undefined && message.sentAt >= since);
  const passed = end === -1 ? found : found.slice(0, end);
  const expired = passed.filter(
    (message): message is Message => message !== undefined && message.userIds !== undefined,
  );
  for (const message of expired) await removeTogether([message]);
  return from + passed.length;
}
