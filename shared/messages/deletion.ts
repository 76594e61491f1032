import { setTimeout as pause } from "node:timers/promises";
import { badRequest } from "../errors.ts";
import { planRelease } from "../files/releases.ts";
import { hasAnyPermission } from "../groups/any.ts";
import { outboxJob } from "../jobs/outbox.ts";
import type { Realm } from "../organization/access.ts";
import { commit } from "../store/log.ts";
import { deleteMessage, listBeside, type Message } from "../store/messages.ts";
import { findTopic } from "../store/topics.ts";
import { ConditionFailed, deleteItem } from "../store/transactions.ts";
import { findUser } from "../store/users.ts";
import type { Caller } from "../users/caller.ts";
import { type AccessedMessage, accessMessageToChange } from "./access.ts";
import { audienceOf } from "./audience.ts";
import { deleteMessageEvent } from "./edit-events.ts";
import { isPast } from "./edit-rules.ts";
import { removeMessageLeftovers } from "./leftovers.ts";
import { topicWithout } from "./topic-changes.ts";

/** How often a deletion that met an edit is planned anew. */
const attempts = 20;

/** Deletes a message; what is kept beside it goes after it, by a job that the deletion's transaction holds. */
export async function removeMessage(caller: Caller, id: number, realm: Realm): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const accessed = await accessMessageToChange(caller, id, realm);
    await checkMayDelete(caller, accessed, realm);
    try {
      await removeTogether([accessed.message], [caller.id]);
      return;
    } catch (error) {
      if (!(error instanceof ConditionFailed) || attempt === attempts) throw error;
      await pause(Math.random() * 20 * attempt);
    }
  }
}

/**
 * Removes messages of one topic or conversation (at most 40 between people, 90 in a channel) in one transaction with
 * their event, and then each that holds files in one of its own. Throws ConditionFailed when one of them has changed.
 */
export async function removeTogether(messages: readonly Message[], actorIds: number[] = []): Promise<void> {
  const holding = messages.filter(({ uploads }) => uploads !== undefined);
  if (messages.length > holding.length)
    await removeAtOnce(
      messages.filter(({ uploads }) => uploads === undefined),
      actorIds,
    );
  for (const message of holding) await removeAtOnce([message], actorIds);
}

async function removeAtOnce(messages: readonly Message[], actorIds: number[]): Promise<void> {
  const [first] = messages as [Message];
  const ids = new Set(messages.map(({ id }) => id));
  const topic =
    first.channelId === undefined
      ? undefined
      : await findTopic(first.channelId, first.topic ?? "", { consistent: true });
  const topics = await topicWithout(topic, ids);
  const having = messages.filter(hasLeftovers).map(({ id }) => id);
  const job = having.length > 0 ? outboxJob(removeMessageLeftovers, { message_ids: having }) : undefined;
  const files = await planRelease(first);
  await commit({ events: 1 + files.events.length }, () => ({
    writes: [...messages.flatMap(deleteMessage), ...topics, ...(job ? [job.write] : []), ...files.writes],
    events: [deleteMessageEvent(messages, audienceOf(first, actorIds)), ...files.events],
    result: undefined,
  }));
  await job?.send();
}

const hasLeftovers = ({ hasSubmessages, editHistory = [] }: Message) =>
  hasSubmessages === true || editHistory.some(({ formerText }) => formerText !== undefined);

/** Removes what was kept beside messages that are gone. */
export async function sweepLeftovers(messageIds: readonly number[]): Promise<void> {
  for (const id of messageIds) for (const key of await listBeside(id)) await deleteItem(key);
}

/** Who may delete any message, or their own (or their own bot's) within the time limit (companion reference, C). */
async function checkMayDelete(
  caller: Caller,
  { message, channel }: AccessedMessage,
  { settings }: Realm,
): Promise<void> {
  const { can_delete_any_message_group: any, can_delete_own_message_group: own } = settings;
  const ofChannel = channel?.permissions;
  const anyGroups = [any, ...(ofChannel ? [ofChannel.can_delete_any_message_group] : [])];
  if (await hasAnyPermission(caller, anyGroups, settings)) return;
  const ownGroups = [own, ...(ofChannel ? [ofChannel.can_delete_own_message_group] : [])];
  if (!(await isOwn(caller, message)) || !(await hasAnyPermission(caller, ownGroups, settings)))
    throw badRequest("You don't have permission to delete this message");
  if (isPast(message, settings.message_content_delete_limit_seconds, 0))
    throw badRequest("The time limit for deleting this message has passed");
}

const isOwn = async (caller: Caller, { senderId }: Message) =>
  senderId === caller.id || (await findUser(senderId))?.ownerId === caller.id;
