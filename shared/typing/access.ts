import { accessChannelContent } from "../channels/standing.ts";
import { badRequest } from "../errors.ts";
import { accessMessageToChange } from "../messages/access.ts";
import { isPast } from "../messages/edit-rules.ts";
import { topicName } from "../messages/topics.ts";
import type { Realm } from "../organization/access.ts";
import { findChannelStats } from "../store/channels.ts";
import type { Message } from "../store/messages.ts";
import { listSubscriberIds } from "../store/subscriptions.ts";
import { findUsers, type User } from "../store/users.ts";
import type { Caller } from "../users/caller.ts";
import { settingsOf } from "../users/state.ts";
import { mostTypingSubscribers } from "./actions.ts";

/** The people of a direct conversation with the caller, who comes first, if they may be told that the caller types. */
export async function accessTypingPeople(caller: Caller, to: readonly number[]): Promise<[User, ...User[]]> {
  if (to.length === 0) throw badRequest("Empty 'to' list");
  const { send_private_typing_notifications: sends } = await settingsOf(caller.id);
  if (!sends) throw badRequest("User has disabled typing notifications for direct messages");
  const ids = [...new Set([caller.id, ...to])];
  const users = await findUsers(ids);
  return users.map((user, index) => {
    if (!user?.active) throw badRequest(`Invalid user ID ${ids[index]}`);
    return user;
  }) as [User, ...User[]];
}

/** A channel's topic in which the caller types, with those to be told: none in a large channel. */
export async function accessTypingTopic(
  caller: Caller,
  { channelId, topic }: { channelId: number; topic: string },
  realm: Realm,
): Promise<{ sender: User; place: { channelId: number; topic: string }; subscriberIds: number[] }> {
  const { send_stream_typing_notifications: sends } = await settingsOf(caller.id);
  if (!sends) throw badRequest("User has disabled typing notifications for channel messages");
  const [{ channel }, [sender]] = await Promise.all([
    accessChannelContent(caller, channelId, realm),
    findUsers([caller.id]),
  ]);
  return {
    sender: sender as User,
    place: { channelId, topic: topicName(topic, realm.settings) },
    subscriberIds: await toldSubscriberIds(channelId, channel.stats.subscriberCount),
  };
}

/** A message that the caller edits, with those to be told of it. */
export async function accessTypingMessage(
  caller: Caller,
  id: number,
  realm: Realm,
): Promise<{ message: Message; userIds: number[] }> {
  const { message, channel } = await accessMessageToChange(caller, id, realm);
  if (message.senderId !== caller.id) throw badRequest("You don't have permission to edit this message");
  if (!realm.settings.allow_message_editing) throw badRequest("Your organization has turned off message editing");
  if (isPast(message, realm.settings.message_content_edit_limit_seconds))
    throw badRequest("The time limit for editing this message has past");
  if (!channel) return { message, userIds: message.userIds ?? [] };
  const [stats] = await findChannelStats([channel.id]);
  return { message, userIds: await toldSubscriberIds(channel.id, stats?.subscriberCount ?? 0) };
}

/** A channel's subscribers, unless they are too many to be told: then nobody, and their number is all that was read. */
const toldSubscriberIds = async (channelId: number, count: number): Promise<number[]> =>
  count > mostTypingSubscribers ? [] : await listSubscriberIds(channelId);
