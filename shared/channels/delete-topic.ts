import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { badRequest } from "../errors.ts";
import { hasAnyPermission } from "../groups/any.ts";
import { outboxJob } from "../jobs/outbox.ts";
import { removeTogether } from "../messages/deletion.ts";
import { isWithin } from "../messages/periods.ts";
import { topicName } from "../messages/topics.ts";
import { accessRealm, type Realm } from "../organization/access.ts";
import { wakePush } from "../push/wake.ts";
import { type Message, readPartition, topicPartition } from "../store/messages.ts";
import {
  createTopicDeletion,
  deleteTopicDeletion,
  findTopicDeletion,
  type TopicDeletion,
} from "../store/topic-deletions.ts";
import { ConditionFailed, transact } from "../store/transactions.ts";
import { insufficient } from "./creation.ts";
import { continueTopicDeletion } from "./jobs.ts";
import { mayReadHistory } from "./rules.ts";
import type { CountedStanding } from "./standing.ts";

/** Messages of one transaction. */
const batchSize = 50;
/** Milliseconds for which a request deletes messages itself, far from the 29 s that it may take; the rest is a job's. */
const patienceOfRequest = 15_000;
/** The same for one delivery of the job: below the worker's time limit. */
const patienceOfJob = 240_000;

type Order = Omit<TopicDeletion, "id">;

/**
 * Deletes what the caller can read of a topic, newest first, 50 messages in a transaction with their event. What takes
 * several transactions is noted first, with the job that goes on should the request die: all of it goes or nothing.
 * False when the request's time ran out: the job does the rest.
 */
export async function deleteTopicFor(
  standing: CountedStanding,
  name: string,
  realm: Realm,
  patience = patienceOfRequest,
): Promise<boolean> {
  const { person: caller, channel, subscription, holds } = standing;
  const groups = [realm.settings.can_delete_any_message_group, channel.permissions.can_delete_any_message_group];
  if (!(await hasAnyPermission(caller, groups, realm.settings))) throw insufficient();
  if (channel.isArchived) throw badRequest("Invalid channel ID");
  const deadline = Date.now() + patience;
  const order: Order = {
    actorId: caller.id,
    channelId: channel.id,
    topic: topicName(name, realm.settings),
    lastId: Number.MAX_SAFE_INTEGER,
    ...(!mayReadHistory(caller, channel, subscription, holds) && { periods: subscription?.periods ?? [] }),
  };
  const newest = await readBatch(order, order.lastId);
  const [first] = newest;
  if (!first || (await isRemovedAtOnce(order, newest))) return true;
  const noted = { ...order, id: randomUUID(), lastId: first.id };
  const job = outboxJob(continueTopicDeletion, { deletion_id: noted.id });
  await transact([createTopicDeletion(noted), job.write]);
  let complete = false;
  try {
    if (await removeUntil(deadline, noted)) {
      await deleteTopicDeletion(noted.id);
      complete = true;
    }
  } finally {
    await (complete ? job.drop() : job.send());
  }
  return complete;
}

/** Goes on with a deletion if it is unfinished; throws when there is still more to do, so that the job comes again. */
export async function resumeTopicDeletion(id: string): Promise<void> {
  const noted = await findTopicDeletion(id);
  if (!noted) return;
  if (!(await removeUntil(Date.now() + patienceOfJob, noted)))
    throw new Error(`The deletion ${id} needs more time than one delivery has`);
  await deleteTopicDeletion(id);
}

/** The same, and takes what is gone from people's devices. */
export async function finishTopicDeletion(id: string): Promise<void> {
  await resumeTopicDeletion(id);
  await wakePush(await accessRealm());
}

const readBatch = ({ channelId, topic }: Order, to: number) =>
  readPartition("gsi2", topicPartition(channelId, topic), { from: 0, to, descending: true, limit: batchSize });

const concerned = ({ periods }: Order, messages: readonly Message[]) =>
  messages.filter((message) => periods === undefined || isWithin(periods, message));

/** Deletes all of a topic that one transaction can hold; false when it takes more, or when somebody is changing it. */
async function isRemovedAtOnce(order: Order, all: readonly Message[]): Promise<boolean> {
  const mine = concerned(order, all);
  const isOne = mine.length === 1 || mine.every(({ uploads }) => uploads === undefined);
  if (all.length === batchSize || !isOne) return false;
  return mine.length === 0 || isRemoved(order, mine);
}

/** Deletes batch after batch; false when that is not done at `deadline`. Those who do it at once do each batch once. */
async function removeUntil(deadline: number, order: Order): Promise<boolean> {
  let to = order.lastId;
  for (let misses = 0; Date.now() < deadline; ) {
    const found = await readBatch(order, to);
    const last = found.at(-1);
    if (!last) return true;
    const mine = concerned(order, found);
    if (mine.length === 0 || (await isRemoved(order, mine))) {
      to = last.id - 1;
      misses = 0;
    } else await pause(Math.random() * Math.min(20 * ++misses, 400));
  }
  return false;
}

/** False when somebody has changed one of the messages since they were read, or the index is behind. */
async function isRemoved({ actorId }: Order, messages: readonly Message[]): Promise<boolean> {
  try {
    await removeTogether(messages, [actorId]);
    return true;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    return false;
  }
}
