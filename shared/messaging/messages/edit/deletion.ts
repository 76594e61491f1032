import { badRequest } from "../../../base/errors.ts";
import type { Need } from "../../../base/needs.ts";
import type { Caller } from "../../../services/identity/caller.ts";
import { outboxJob } from "../../../services/jobs/outbox.ts";
import type { Realm } from "../../../services/organization/access.ts";
import { hasAnyPermission } from "../../../services/permissions/any.ts";
import { type Channel, findChannel, findChannelStats } from "../../../store/channels/channels.ts";
import { findTopicRecord } from "../../../store/channels/topics.ts";
import { type Change, commit, noChange } from "../../../store/log/log.ts";
import { endConversation, findConversation } from "../../../store/messages/conversations.ts";
import {
  checkNotDeleted,
  conversationPartition,
  deleteMessage,
  listDetailKeys,
  type Message,
  readPartitionSummaries,
} from "../../../store/messages/messages.ts";
import { auditRecord } from "../../../store/organization/audit-log.ts";
import { deleteItem } from "../../../store/table/single-writes.ts";
import type { Write } from "../../../store/table/writes.ts";
import { findUser } from "../../../store/users/users.ts";
import { planRelease } from "../../uploads/release-claims.ts";
import { type AccessedMessage, findSent, messageToChange, type NamedMessage } from "../access.ts";
import { followMessages } from "../flags/stars.ts";
import { deletionAudience, messageDeletedEvent } from "./events.ts";
import { firstMessageAfterRemoval } from "./first-message.ts";
import { deleteMessageDetailsJob } from "./jobs.ts";
import { isPastLimit } from "./rules.ts";
import { topicChangeAfterRemoval } from "./topic-changes.ts";

/** The message that a request deletes. What changes with it is read as soon as it is known. */
export const messageToDelete: Need<AccessedMessage, NamedMessage> = {
  ...messageToChange,
  early: async (sent) => {
    const message = await findSent(sent("message_id"));
    if (message?.channelId === undefined) return;
    await Promise.all([
      findTopicRecord(message.channelId, message.topic ?? ""),
      // Says which is the channel's first message.
      findChannelStats([message.channelId]),
    ]);
  },
};

/** Deletes a message, if the caller may. Its previous contents, submessages and stars are deleted by a job. */
export async function removeMessage(caller: Caller, accessed: AccessedMessage, realm: Realm): Promise<Change> {
  await checkMayDelete(caller, accessed, realm);
  const change = await planRemoval([accessed.message], [caller.id], accessed.channel);
  const { id, senderId, channelId } = accessed.message;
  if (senderId === caller.id) return change;
  const record = auditRecord("message_deleted", { channelId, userId: senderId, before: { message_id: id } });
  return { ...change, writes: [...(change.writes ?? []), record] };
}

/**
 * Deletes messages of one topic or conversation, with their event, in one transaction (at most 40 direct messages or 90
 * of a channel). Each message with uploaded files gets a transaction of its own, as the files need room there. Throws
 * ConditionFailed when one of the messages has changed. `records` are written with the first ones.
 */
export async function removeMessages(
  messages: readonly Message[],
  actorIds: number[] = [],
  records: readonly Write[] = [],
): Promise<void> {
  const withUploads = messages.filter(({ uploads }) => uploads !== undefined);
  const others = messages.filter(({ uploads }) => uploads === undefined);
  const groups = [...(others.length > 0 ? [others] : []), ...withUploads.map((message) => [message])];
  for (const [index, group] of groups.entries()) {
    const { writes = [], ...change } = await planRemoval(group, actorIds);
    await commit({ ...change, writes: index === 0 ? [...writes, ...records] : writes });
  }
}

async function planRemoval(messages: readonly Message[], actorIds: number[], known?: Channel): Promise<Change> {
  const [first] = messages as [Message];
  const ids = new Set(messages.map(({ id }) => id));
  const { channelId, topic = "" } = first;
  const [channel, topicChange, firstMessage, fileRelease, ending] = await Promise.all([
    channelId === undefined ? undefined : (known ?? findChannel(channelId)),
    channelId === undefined ? undefined : topicChangeAfterRemoval({ channelId, topic }, ids),
    channelId === undefined ? noChange : firstMessageAfterRemoval(channelId, ids),
    planRelease(first),
    channelId === undefined ? planEnd(first, ids) : { ended: false, writes: [] },
  ]);
  const { userIds = [] } = first;
  const withDetails = messages.filter(hasDetails).map(({ id }) => id);
  return {
    writes: [
      ...messages.flatMap(deleteMessage),
      ...(topicChange ? [topicChange.write()] : []),
      ...ending.writes,
      ...firstMessage.writes,
      ...fileRelease.writes,
    ],
    events: [
      messageDeletedEvent(messages, deletionAudience(first, channel, actorIds), ending.ended ? { ends: userIds } : {}),
      ...firstMessage.events,
      ...fileRelease.events,
    ],
    followUps: withDetails.length > 0 ? [outboxJob(deleteMessageDetailsJob, { message_ids: withDetails })] : [],
  };
}

/**
 * Ends the direct conversation of messages if they are all that it has. Then guests with limited access may no longer see its
 * participants. Else the message that remains must not be deleted at the same moment: each deletion would leave the end to the other.
 * Costs 0.5 read units for each 4 KB of a message more than these, and 2 write units for each KB of the one that remains.
 */
async function planEnd({ userIds = [] }: Message, ids: ReadonlySet<number>) {
  const range = { from: 0, to: Number.MAX_SAFE_INTEGER, descending: true, limit: ids.size + 1 };
  const newest = await readPartitionSummaries("gsi1", conversationPartition(userIds), range);
  const remaining = newest.find(({ id }) => !ids.has(id));
  if (remaining) return { ended: false, writes: [checkNotDeleted(remaining.id)] };
  const ended = (await findConversation(userIds)) !== undefined;
  return { ended, writes: ended ? [endConversation(userIds)] : [] };
}

const hasDetails = ({ hasSubmessages, hasStars, editHistory = [] }: Message) =>
  hasSubmessages === true || hasStars === true || editHistory.some(({ formerText }) => formerText !== undefined);

export async function deleteMessageDetails(messageIds: readonly number[]): Promise<void> {
  for (const id of messageIds) for (const key of await listDetailKeys(id)) await deleteItem(key);
  await followMessages(messageIds);
}

/**
 * Some groups may delete any message, others only their own and those of their own bots, within the time limit. See
 * https://zulip.com/api/delete-message.
 */
async function checkMayDelete(
  caller: Caller,
  { message, channel }: AccessedMessage,
  { settings }: Realm,
): Promise<void> {
  const channelSettings = channel?.permissions;
  const groupsOf = (name: "can_delete_any_message_group" | "can_delete_own_message_group") => [
    settings[name],
    ...(channelSettings ? [channelSettings[name]] : []),
  ];
  if (await hasAnyPermission(caller, groupsOf("can_delete_any_message_group"), settings)) return;
  if (
    !(await isOwn(caller, message)) ||
    !(await hasAnyPermission(caller, groupsOf("can_delete_own_message_group"), settings))
  )
    throw badRequest("You don't have permission to delete this message");
  if (isPastLimit(message, settings.message_content_delete_limit_seconds, 0))
    throw badRequest("The time limit for deleting this message has passed");
}

const isOwn = async (caller: Caller, { senderId }: Message) =>
  senderId === caller.id || (await findUser(senderId))?.ownerId === caller.id;
