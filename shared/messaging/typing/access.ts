import { badRequest } from "../../base/errors.ts";
import type { Need } from "../../base/needs.ts";
import { effectiveUserSettings } from "../../base/schema/user-settings.ts";
import { accessChannelContent } from "../../core/channels/channel-access.ts";
import { toStoredTopic } from "../../core/channels/topic-names.ts";
import { findEffectiveSettings } from "../../core/users/state.ts";
import type { Caller } from "../../services/identity/caller.ts";
import { findNamedUsers } from "../../services/identity/named.ts";
import { loadRealm, type Realm } from "../../services/organization/access.ts";
import { findChannelStats } from "../../store/channels/channels.ts";
import type { Audience } from "../../store/log/entry.ts";
import type { Message } from "../../store/messages/messages.ts";
import { type ChangedSettings, findSettingsOfUsers, receivesTyping } from "../../store/users/user-settings.ts";
import { findUsers, type User } from "../../store/users/users.ts";
import { accessMessageToChange, messageToChange, type NamedMessage } from "../messages/access.ts";
import { isPastLimit } from "../messages/edit/rules.ts";
import { isChannelType, type messageTypes } from "../messages/send/destination.ts";
import { channelAudience, userAudience } from "./actions.ts";

/** The parameters that name the conversation or topic in which the caller types. */
interface TypingParams {
  to?: number | number[] | undefined;
  stream_id?: number | undefined;
  topic?: string | undefined;
}

type TypingTopic = Awaited<ReturnType<typeof accessTypingTopic>>;
type TypingPeople = Awaited<ReturnType<typeof accessTypingPeople>>;

/** The topic or the direct conversation in which the caller types. */
export const typingPlace: Need<
  { topic: TypingTopic; people?: never } | { people: TypingPeople; topic?: never },
  { caller: Caller; params: TypingParams & { type: (typeof messageTypes)[number] } }
> = {
  // A direct conversation needs no settings of the organization.
  early: (sent) => isChannelType(sent("type") ?? "direct") && loadRealm(),
  load: async ({ caller, params: { type, ...place } }) =>
    isChannelType(type)
      ? { topic: await accessTypingTopic(caller, checkTypingTopic(place), await loadRealm()) }
      : { people: await accessTypingPeople(caller, checkTypingPeople(place)) },
};

/** The topic that a request names; older clients name its channel in `to`. */
function checkTypingTopic({ to, stream_id, topic }: TypingParams): { channelId: number; topic: string } {
  const channelId = stream_id ?? [to ?? []].flat()[0];
  if (channelId === undefined) throw badRequest("Missing channel ID");
  if (topic === undefined) throw badRequest("Missing topic");
  return { channelId, topic };
}

/** Parses the recipients of a direct conversation. */
function checkTypingPeople({ to }: TypingParams): number[] {
  if (to === undefined) throw badRequest("Missing 'to' argument");
  return [to].flat();
}

/**
 * Returns the participants of a direct conversation, the caller first, and the IDs of those to notify. Throws if the caller has
 * disabled typing notifications. All reads are made in parallel: 1 read unit for each participant.
 */
async function accessTypingPeople(
  caller: Caller,
  to: readonly number[],
): Promise<{ people: [User, ...User[]]; receiverIds: number[] }> {
  if (to.length === 0) throw badRequest("Empty 'to' list");
  const ids = [...new Set([caller.id, ...to])];
  const [users, settings] = await Promise.all([findNamedUsers(caller, ids), findSettingsOfUsers(ids)]);
  if (!effectiveUserSettings(settings[0]).send_private_typing_notifications)
    throw badRequest("User has disabled typing notifications for direct messages");
  const people = users.map((user, index) => {
    if (!user?.active) throw badRequest(`Invalid user ID ${ids[index]}`);
    return user;
  }) as [User, ...User[]];
  return { people, receiverIds: receiversAmong(ids, settings) };
}

/** Those of the given users who receive typing notifications; `settings` has the users' settings, in the same order. */
const receiversAmong = (userIds: readonly number[], settings: readonly (ChangedSettings | undefined)[]): number[] =>
  userIds.filter((_, index) => receivesTyping(settings[index]));

/** Returns the topic in which the caller types, and the audience to notify, which is undefined in a large channel. */
async function accessTypingTopic(
  caller: Caller,
  { channelId, topic }: { channelId: number; topic: string },
  realm: Realm,
): Promise<{ sender: User; topic: { channelId: number; topic: string }; audience: Audience | undefined }> {
  const [{ send_stream_typing_notifications: isEnabled }, { channel }, [sender]] = await Promise.all([
    findEffectiveSettings(caller.id),
    accessChannelContent(caller, channelId, realm),
    findUsers([caller.id]),
  ]);
  if (!isEnabled) throw badRequest("User has disabled typing notifications for channel messages");
  return {
    sender: sender as User,
    topic: { channelId, topic: toStoredTopic(topic, realm.settings) },
    audience: channelAudience(channelId, channel.stats.subscriberCount),
  };
}

/** The message that the caller edits, and the audience to notify. */
export const editedMessage: Need<Awaited<ReturnType<typeof accessTypingMessage>>, NamedMessage> = {
  ...messageToChange,
  load: async ({ caller, params, realm }) => accessTypingMessage(caller, params.message_id, await realm),
};

/** Returns the message that the caller edits, and the audience to notify, which is undefined in a large channel. */
async function accessTypingMessage(
  caller: Caller,
  id: number,
  realm: Realm,
): Promise<{ message: Message; audience: Audience | undefined }> {
  const { message, channel } = await accessMessageToChange(caller, id, realm);
  if (message.senderId !== caller.id) throw badRequest("You don't have permission to edit this message");
  if (!realm.settings.allow_message_editing) throw badRequest("Your organization has turned off message editing");
  if (isPastLimit(message, realm.settings.message_content_edit_limit_seconds))
    throw badRequest("The time limit for editing this message has past");
  if (!channel) {
    const { userIds = [] } = message;
    return { message, audience: userAudience(receiversAmong(userIds, await findSettingsOfUsers(userIds))) };
  }
  const [stats] = await findChannelStats([channel.id]);
  return { message, audience: channelAudience(channel.id, stats?.subscriberCount ?? 0) };
}
