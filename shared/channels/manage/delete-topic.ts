import { randomUUID } from "node:crypto";
import { badRequest, insufficientPermission } from "../../errors.ts";
import { outboxJob } from "../../jobs/outbox.ts";
import { removeMessages } from "../../messages/edit/deletion.ts";
import type { Realm } from "../../organization/access.ts";
import { hasAnyPermission } from "../../permissions/any.ts";
import {
  createTopicDeletion,
  deleteTopicDeletion,
  findTopicDeletion,
  type TopicDeletion,
} from "../../store/channels/topic-deletions.ts";
import { type Message, readPartition, topicPartition } from "../../store/messages/messages.ts";
import { backOff } from "../../store/table/retries.ts";
import { ConditionFailed, transact } from "../../store/table/transactions.ts";
import type { CountedChannelAccess } from "../channel-access.ts";
import { isWithin } from "../periods.ts";
import { mayReadHistory } from "../rules.ts";
import { toStoredTopic } from "../topic-names.ts";
import { continueTopicDeletionJob } from "./jobs.ts";

/** Messages per transaction. */
const batchSize = 50;
/** How long a request deletes messages itself, well below API Gateway's 29 s; a background job deletes the rest. */
const requestTimeLimitMs = 15_000;
/** The same for the job: below the worker's time limit. */
const jobTimeLimitMs = 240_000;

type DeletionOrder = Omit<TopicDeletion, "id">;

/**
 * Deletes the messages of a topic that the caller can read, newest first, 50 per transaction with their event. A deletion
 * of several transactions is first recorded with a job that continues it if the request dies, so that it is never left
 * incomplete. Returns false when time runs out: the job deletes the rest.
 */
export async function deleteTopicFor(
  access: CountedChannelAccess,
  name: string,
  realm: Realm,
  timeLimitMs = requestTimeLimitMs,
): Promise<boolean> {
  const { person: caller, channel, subscription, isGranted } = access;
  const groups = [realm.settings.can_delete_any_message_group, channel.permissions.can_delete_any_message_group];
  if (!(await hasAnyPermission(caller, groups, realm.settings))) throw insufficientPermission();
  if (channel.isArchived) throw badRequest("Invalid channel ID");
  const deadline = Date.now() + timeLimitMs;
  const order: DeletionOrder = {
    actorId: caller.id,
    channelId: channel.id,
    topic: toStoredTopic(name, realm.settings),
    lastId: Number.MAX_SAFE_INTEGER,
    ...(!mayReadHistory(caller, channel, subscription, isGranted) && { periods: subscription?.periods ?? [] }),
  };
  const newest = await readBatch(order, order.lastId);
  const [first] = newest;
  if (!first || (await removeInOneTransaction(order, newest))) return true;
  const record = { ...order, id: randomUUID(), lastId: first.id };
  const job = outboxJob(continueTopicDeletionJob, { deletion_id: record.id });
  await transact([createTopicDeletion(record), job.write]);
  let complete = false;
  try {
    if (await removeUntil(deadline, record)) {
      await deleteTopicDeletion(record.id);
      complete = true;
    }
  } finally {
    await (complete ? job.drop() : job.send());
  }
  return complete;
}

/** Continues an unfinished deletion; throws when time runs out, so that the queue delivers the job again. */
export async function resumeTopicDeletion(id: string): Promise<void> {
  const record = await findTopicDeletion(id);
  if (!record) return;
  if (!(await removeUntil(Date.now() + jobTimeLimitMs, record)))
    throw new Error(`Topic deletion ${id} is unfinished after one job's time limit`);
  await deleteTopicDeletion(id);
}

const readBatch = ({ channelId, topic }: DeletionOrder, to: number) =>
  readPartition("gsi2", topicPartition(channelId, topic), { from: 0, to, descending: true, limit: batchSize });

const readableMessages = ({ periods }: DeletionOrder, messages: readonly Message[]) =>
  messages.filter((message) => periods === undefined || isWithin(periods, message));

/** Deletes a topic that fits into one transaction; false when it does not, or on a conflict. */
async function removeInOneTransaction(order: DeletionOrder, all: readonly Message[]): Promise<boolean> {
  const readable = readableMessages(order, all);
  const isOne = readable.length === 1 || readable.every(({ uploads }) => uploads === undefined);
  if (all.length === batchSize || !isOne) return false;
  return readable.length === 0 || tryRemove(order, readable);
}

/** Deletes batches until done, or returns false at `deadline`. Safe to run concurrently: a batch is deleted once. */
async function removeUntil(deadline: number, order: DeletionOrder): Promise<boolean> {
  let to = order.lastId;
  for (let misses = 0; Date.now() < deadline; ) {
    const found = await readBatch(order, to);
    const last = found.at(-1);
    if (!last) return true;
    const readable = readableMessages(order, found);
    if (readable.length === 0 || (await tryRemove(order, readable))) {
      to = last.id - 1;
      misses = 0;
    } else await backOff(++misses);
  }
  return false;
}

/** False when a message has changed since it was read, or the eventually consistent index is outdated. */
async function tryRemove({ actorId }: DeletionOrder, messages: readonly Message[]): Promise<boolean> {
  try {
    await removeMessages(messages, [actorId]);
    return true;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    return false;
  }
}
