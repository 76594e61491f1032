import { batchesOf } from "../../../base/batches.ts";
import { isExpired, retainedSince } from "../../../core/channels/retention.ts";
import { enqueue, enqueueAll } from "../../../services/jobs/queues.ts";
import { loadRealm, type Realm } from "../../../services/organization/access.ts";
import { type Channel, findChannel, listChannels } from "../../../store/channels/channels.ts";
import { readHead } from "../../../store/log/log.ts";
import { findExpiryCursor, setExpiryCursor } from "../../../store/messages/expiry.ts";
import { channelPartition, findMessages, type Message, readPartition } from "../../../store/messages/messages.ts";
import { transact } from "../../../store/table/transactions.ts";
import { removeMessages } from "./deletion.ts";
import { removeExpiredMessagesJob } from "./jobs.ts";

/** Those of one topic are deleted in one transaction. */
const messagesPerQuery = 50;
/** How many channels are queried in parallel. */
const channelsPerRound = 25;
/** Consecutive message IDs that one batch read covers in the scan for direct messages. */
const idsPerRead = 100;
/** After this time, a job enqueues another one for the remaining messages. */
const timeLimitMs = 120_000;

const oldestFirst = { from: 0, to: Number.MAX_SAFE_INTEGER, descending: false };

/**
 * Enqueues a job for each channel whose oldest message has expired, and one for direct messages if the organization limits
 * their retention. Costs one query for each channel with a retention limit.
 */
export async function findExpired(): Promise<void> {
  const [realm, channels] = await Promise.all([loadRealm(), listChannels()]);
  const limited = channels.filter((channel) => retainedSince(channel, realm.settings) > 0);
  for (const part of batchesOf(limited, channelsPerRound)) {
    const hasExpired = await Promise.all(part.map((channel) => hasExpiredMessages(channel, realm)));
    const jobs = part.filter((_, index) => hasExpired[index]).map(({ id }) => ({ channel_id: id }));
    await enqueueAll(removeExpiredMessagesJob, jobs);
  }
  if (retainedSince(undefined, realm.settings) > 0) await enqueue(removeExpiredMessagesJob, {});
}

async function hasExpiredMessages(channel: Channel, { settings }: Realm): Promise<boolean> {
  const [oldest] = await readPartition("gsi1", channelPartition(channel.id), { ...oldestFirst, limit: 1 });
  return oldest !== undefined && isExpired(oldest, channel, settings);
}

export const removeExpiredMessages = (channelId: number | undefined): Promise<void> =>
  channelId === undefined ? expireDirectMessages() : expireChannel(channelId);

/** Deletes a channel's expired messages, oldest first; enqueues another job when the time limit is reached. */
async function expireChannel(channelId: number): Promise<void> {
  const [realm, channel] = await Promise.all([loadRealm(), findChannel(channelId)]);
  const deadline = Date.now() + timeLimitMs;
  let from = 0;
  while (channel && Date.now() < deadline) {
    const range = { ...oldestFirst, from, limit: messagesPerQuery };
    const page = await readPartition("gsi1", channelPartition(channelId), range);
    const expired = page.filter((message) => isExpired(message, channel, realm.settings));
    const topics = Map.groupBy(expired, ({ topic = "" }) => topic.toLowerCase());
    for (const messages of topics.values()) await removeMessages(messages);
    if (expired.length < messagesPerQuery) return;
    from = (expired.at(-1)?.id ?? from) + 1;
  }
  if (channel) await enqueue(removeExpiredMessagesJob, { channel_id: channelId });
}

/** Deletes expired direct messages. A stored cursor moves over all message IDs, so that each message is read only once. */
export async function expireDirectMessages(): Promise<void> {
  const [{ settings }, head, cursor] = await Promise.all([loadRealm(), readHead(), findExpiryCursor()]);
  const deadline = Date.now() + timeLimitMs;
  const since = retainedSince(undefined, settings);
  let from = cursor;
  while (from <= head.message && Date.now() < deadline) {
    const next = await expireDirectMessagesInRange(from, Math.min(from + idsPerRead - 1, head.message), since);
    if (next > from) await transact([setExpiryCursor(next)]);
    if (next < Math.min(from + idsPerRead, head.message + 1)) return;
    from = next;
  }
  if (from <= head.message) await enqueue(removeExpiredMessagesJob, {});
}

/** Deletes direct messages in a range of IDs that were sent before `since`; returns the first ID that it did not process. */
export async function expireDirectMessagesInRange(from: number, to: number, since: number): Promise<number> {
  const ids = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const found = await findMessages(ids);
  const end = found.findIndex((message) => message !== undefined && message.sentAt >= since);
  const examined = end === -1 ? found : found.slice(0, end);
  const expired = examined.filter(
    (message): message is Message => message !== undefined && message.userIds !== undefined,
  );
  for (const message of expired) await removeMessages([message]);
  return from + examined.length;
}
