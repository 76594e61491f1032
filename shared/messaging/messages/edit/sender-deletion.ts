import { batchesOf } from "../../../base/batches.ts";
import type { Values } from "../../../base/schema/params.ts";
import { enqueue } from "../../../services/jobs/queues.ts";
import { findChannels } from "../../../store/channels/channels.ts";
import {
  conversationPartition,
  findMessages,
  type Message,
  readIdsBySender,
  topicPartition,
} from "../../../store/messages/messages.ts";
import { retryOnConflict } from "../../../store/table/conflicts.ts";
import { findUsers } from "../../../store/users/users.ts";
import { removeMessages } from "./deletion.ts";
import { deleteSentMessagesJob } from "./jobs.ts";

/** Deletes what a deactivated user has sent, by jobs that follow the deactivation. */

type Deletion = Values<typeof deleteSentMessagesJob.body>;

const messagesPerPage = 50;
/** Leaves room in a transaction of 100 items for the topic, the log and the jobs. */
const maxDeletesPerTransaction = 60;
/** After this time, a job enqueues another one for the remaining messages. */
const timeLimitMs = 120_000;

/**
 * Deletes the messages with IDs from `from` to `through`, and later ones as long as the account is deactivated, oldest first: those of a
 * topic or conversation in one transaction, with their event. Enqueues a job for the rest when the time limit is reached. Idempotent.
 */
export async function deleteSentMessages(deletion: Deletion, timeLimit = timeLimitMs): Promise<void> {
  const deadline = Date.now() + timeLimit;
  let from: number | undefined = deletion.from;
  while (from !== undefined && Date.now() < deadline) {
    const start: number = from;
    from = await retryOnConflict(() => deletePage({ ...deletion, from: start }));
  }
  if (from !== undefined) await enqueue(deleteSentMessagesJob, { ...deletion, from });
}

/** Returns the ID from which to go on; undefined at the end. */
async function deletePage(deletion: Deletion): Promise<number | undefined> {
  const { user_id, from, through } = deletion;
  const range = { from, to: Number.MAX_SAFE_INTEGER, descending: false, limit: messagesPerPage };
  const found = await readIdsBySender(user_id, range);
  // After the IDs, so that what somebody sends who was reactivated meanwhile is never among them.
  const [user] = await findUsers([user_id]);
  const ids = user?.active === false ? found : found.filter((id) => id <= through);
  const sent = (await findMessages(ids)).filter((message) => message !== undefined);
  const conversations = Map.groupBy(await selectByKind(sent, deletion), conversationOf);
  for (const messages of conversations.values())
    for (const part of batchesOf(messages, maxMessages(messages))) await removeMessages(part);
  return ids.length < messagesPerPage ? undefined : (ids.at(-1) as number) + 1;
}

async function selectByKind(messages: readonly Message[], kinds: Deletion): Promise<Message[]> {
  const channelIds = [...new Set(messages.flatMap(({ channelId }) => channelId ?? []))];
  const channels = new Map(
    (await findChannels(channelIds)).flatMap((channel) => (channel ? [[channel.id, channel.inviteOnly]] : [])),
  );
  return messages.filter(({ channelId }) => {
    if (channelId === undefined) return kinds.direct_messages;
    return channels.get(channelId) === false ? kinds.public_channels : kinds.private_channels;
  });
}

const conversationOf = ({ channelId, topic = "", userIds = [] }: Message) =>
  channelId === undefined ? conversationPartition(userIds) : topicPartition(channelId, topic);

/** A direct message is deleted with a pointer of each participant. */
const maxMessages = ([message]: readonly Message[]) =>
  Math.max(1, Math.floor(maxDeletesPerTransaction / (1 + (message?.userIds?.length ?? 0))));
