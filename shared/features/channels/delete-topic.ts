import { randomUUID } from "node:crypto";
import { badRequest, insufficientPermission } from "../../base/errors.ts";
import type { ChannelAccessWithStats } from "../../core/channels/channel-access.ts";
import { isWithin } from "../../core/channels/periods.ts";
import { mayReadHistory } from "../../core/channels/rules.ts";
import { toStoredTopic } from "../../core/channels/topic-names.ts";
import { removeMessages } from "../../messaging/messages/edit/deletion.ts";
import { nowOrLater } from "../../services/jobs/outbox.ts";
import type { Realm } from "../../services/organization/access.ts";
import { hasAnyPermission } from "../../services/permissions/any.ts";
import {
  createTopicDeletion,
  deleteTopicDeletion,
  findTopicDeletion,
  type TopicDeletion,
} from "../../store/channels/topic-deletions.ts";
import { type Message, readPartition, topicPartition } from "../../store/messages/messages.ts";
import { auditRecord } from "../../store/organization/audit-log.ts";
import { succeeds } from "../../store/table/conflicts.ts";
import { backOff } from "../../store/table/retries.ts";
import { transact } from "../../store/table/transactions.ts";
import type { Write } from "../../store/table/writes.ts";
import { continueTopicDeletionJob } from "./jobs.ts";

/** Below the 90 channel messages that `removeMessages` can delete in one transaction. */
const maxMessagesPerTransaction = 50;
/** How long a request deletes messages itself, well below API Gateway's 29 s; a background job deletes the rest. */
const requestTimeLimitMs = 15_000;
/** How long one delivery of the background job deletes messages; below the worker's time limit. */
const jobTimeLimitMs = 240_000;

/** What to delete, for whom; it gets an ID if it is recorded because it needs several transactions. */
type UnrecordedDeletion = Omit<TopicDeletion, "id">;

/**
 * Deletes the messages of a topic that the caller can read, newest first, 50 per transaction with their event. A deletion
 * of several transactions is first recorded with a job that continues it if the request dies, so that it is never left
 * incomplete. Returns false when time runs out: the job deletes the rest.
 */
export async function deleteTopicFor(
  access: ChannelAccessWithStats,
  name: string,
  realm: Realm,
  timeLimitMs = requestTimeLimitMs,
): Promise<boolean> {
  const { person: caller, channel, subscription, isGranted } = access;
  const permissions = [realm.settings.can_delete_any_message_group, channel.permissions.can_delete_any_message_group];
  if (!(await hasAnyPermission(caller, permissions, realm.settings))) throw insufficientPermission();
  if (channel.isArchived) throw badRequest("Invalid channel ID");
  const deadline = Date.now() + timeLimitMs;
  const deletion: UnrecordedDeletion = {
    actorId: caller.id,
    channelId: channel.id,
    topic: toStoredTopic(name, realm.settings),
    lastId: Number.MAX_SAFE_INTEGER,
    ...(!mayReadHistory(caller, channel, subscription, isGranted) && { periods: subscription?.periods ?? [] }),
  };
  const newestMessages = await readBatch(deletion, deletion.lastId);
  const [first] = newestMessages;
  if (!first || (await removeInOneTransaction(deletion, newestMessages))) return true;
  const record = { ...deletion, id: randomUUID(), lastId: first.id };
  const rest = nowOrLater(continueTopicDeletionJob, { deletion_id: record.id }, () => complete(record, deadline));
  await transact([createTopicDeletion(record), recordOf(record)], { followUps: [rest] });
  return rest.isDone;
}

/** Continues an unfinished deletion; throws when time runs out, so that the queue delivers the job again. */
export async function continueTopicDeletion(id: string): Promise<void> {
  const record = await findTopicDeletion(id);
  if (record && !(await complete(record, Date.now() + jobTimeLimitMs)))
    throw new Error(`Topic deletion ${id} is unfinished after one job's time limit`);
}

/** Deletes the rest of the messages, and then the record; false if messages are left at `deadline`. */
async function complete(record: TopicDeletion, deadline: number): Promise<boolean> {
  const isComplete = await removeUntil(deadline, record);
  if (isComplete) await deleteTopicDeletion(record.id);
  return isComplete;
}

const readBatch = ({ channelId, topic }: UnrecordedDeletion, to: number) =>
  readPartition("gsi2", topicPartition(channelId, topic), {
    from: 0,
    to,
    descending: true,
    limit: maxMessagesPerTransaction,
  });

const readableMessages = ({ periods }: UnrecordedDeletion, messages: readonly Message[]) =>
  messages.filter((message) => periods === undefined || isWithin(periods, message));

/** Deletes a topic that fits into one transaction; false when it does not, or on a conflict. */
async function removeInOneTransaction(deletion: UnrecordedDeletion, messages: readonly Message[]): Promise<boolean> {
  const readable = readableMessages(deletion, messages);
  const fitsOneTransaction = readable.length === 1 || readable.every(({ uploads }) => uploads === undefined);
  if (messages.length === maxMessagesPerTransaction || !fitsOneTransaction) return false;
  return readable.length === 0 || tryRemove(deletion, readable, [recordOf(deletion)]);
}

const recordOf = ({ channelId, topic }: UnrecordedDeletion): Write =>
  auditRecord("topic_deleted", { channelId, before: { topic } });

/** Deletes batches until done, or returns false at `deadline`. Safe to run concurrently: a batch is deleted once. */
async function removeUntil(deadline: number, deletion: UnrecordedDeletion): Promise<boolean> {
  let to = deletion.lastId;
  for (let conflictCount = 0; Date.now() < deadline; ) {
    const batch = await readBatch(deletion, to);
    const last = batch.at(-1);
    if (!last) return true;
    const readable = readableMessages(deletion, batch);
    if (readable.length === 0 || (await tryRemove(deletion, readable))) {
      to = last.id - 1;
      conflictCount = 0;
    } else if (!(await backOff(++conflictCount))) return false;
  }
  return false;
}

/** False when a message has changed since it was read, or the eventually consistent index is outdated. */
const tryRemove = (
  { actorId }: UnrecordedDeletion,
  messages: readonly Message[],
  records: readonly Write[] = [],
): Promise<boolean> => succeeds(removeMessages(messages, [actorId], records));
