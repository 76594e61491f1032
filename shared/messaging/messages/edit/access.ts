import { createHash } from "node:crypto";
import { badRequest, expectationMismatch, moveTimeLimitExceeded } from "../../../base/errors.ts";
import type { GroupSetting } from "../../../base/schema/group-setting.ts";
import { isContentReadable } from "../../../core/channels/content-permissions.ts";
import { isWithin } from "../../../core/channels/periods.ts";
import { mayReadHistory } from "../../../core/channels/rules.ts";
import { checkTopic } from "../../../core/channels/topic-names.ts";
import { type Caller, isAdministrator, isModerator } from "../../../services/identity/caller.ts";
import type { Realm } from "../../../services/organization/access.ts";
import { hasPermission } from "../../../services/permissions/access.ts";
import { hasAnyPermission } from "../../../services/permissions/any.ts";
import { type Channel, type ChannelPermissions, findChannel } from "../../../store/channels/channels.ts";
import { findSubscription } from "../../../store/channels/subscriptions.ts";
import { type Message, readPartition, topicPartition } from "../../../store/messages/messages.ts";
import type { AccessedMessage } from "../access.ts";
import { checkEditForm, isPastLimit, type MessageEdit, resolution } from "./rules.ts";

/** The destination of a moved message: another topic, another channel or both. */
export interface Move {
  channel: Channel;
  topic: string;
}

/** Checks that the caller may make an edit, and returns where the message moves, if it does. */
export async function checkEdit(
  caller: Caller,
  accessed: AccessedMessage,
  edit: MessageEdit & { prevContentSha256?: string | undefined },
  realm: Realm,
): Promise<Move | undefined> {
  checkEditForm(edit, accessed.message);
  if (edit.content !== undefined) checkMayEditContent(caller, accessed.message, edit.prevContentSha256, realm);
  const { channel, message } = accessed;
  if (!channel) return undefined;
  const move = await resolveMove(caller, message, channel, edit, realm);
  if (!move) return undefined;
  const oldTopic = message.topic ?? "";
  const toOtherChannel = move.channel.id !== channel.id;
  const isResolution = !toOtherChannel && resolution(oldTopic, move.topic) !== undefined;
  if (toOtherChannel) await checkMayMoveOut(caller, message, channel, realm);
  if (move.topic !== oldTopic) await checkMayChangeTopic(caller, message, channel, isResolution, realm);
  if (edit.propagateMode === "change_all" && !isResolution)
    await checkAllWithinLimits(caller, accessed, { toOtherChannel, toOtherTopic: move.topic !== oldTopic }, realm);
  return move;
}

function checkMayEditContent(caller: Caller, message: Message, sha256: string | undefined, { settings }: Realm) {
  if (!settings.allow_message_editing) throw badRequest("Your organization has turned off message editing");
  if (message.senderId !== caller.id) throw badRequest("You don't have permission to edit this message");
  if (isPastLimit(message, settings.message_content_edit_limit_seconds))
    throw badRequest("The time limit for editing this message has past");
  if (sha256 !== undefined && createHash("sha256").update(message.content).digest("hex") !== sha256)
    throw expectationMismatch("prev_content_sha256");
}

async function resolveMove(
  caller: Caller,
  message: Message,
  channel: Channel,
  { topic, channelId }: MessageEdit,
  realm: Realm,
): Promise<Move | undefined> {
  const target =
    channelId === undefined || channelId === channel.id ? channel : await accessTargetChannel(caller, channelId, realm);
  const oldTopic = message.topic ?? "";
  if (target === channel && topic === undefined) return undefined;
  const newTopic = topic === undefined ? oldTopic : checkTopic(topic, target.topicsPolicy, realm.settings);
  if (target === channel && newTopic === oldTopic) return undefined;
  if (topic === undefined) checkTopic(oldTopic, target.topicsPolicy, realm.settings);
  return { channel: target, topic: newTopic };
}

/** Returns the channel to which messages are moved, if the caller may read it and post there. */
async function accessTargetChannel(caller: Caller, channelId: number, realm: Realm): Promise<Channel> {
  const [channel, subscription] = await Promise.all([findChannel(channelId), findSubscription(caller.id, channelId)]);
  if (!channel || !(await isContentReadable(caller, channel, subscription))) throw badRequest("Invalid channel ID");
  if (channel.isArchived) throw badRequest(`Not authorized to send to channel '${channel.name}'`);
  if (!(await hasPermission(caller, channel.permissions.can_send_message_group, realm.settings)))
    throw badRequest("You do not have permission to post in this channel.");
  return channel;
}

/**
 * Whether the caller has a permission by the organization's setting, by the channel's setting, or as a channel administrator.
 */
async function hasChannelPermission(
  caller: Caller,
  channel: Channel,
  channelSetting: keyof ChannelPermissions,
  organizationGroup: GroupSetting,
  realm: Realm,
): Promise<boolean> {
  if (isAdministrator(caller)) return true;
  const { [channelSetting]: channelGroup, can_administer_channel_group: administrators } = channel.permissions;
  return hasAnyPermission(caller, [organizationGroup, channelGroup, administrators], realm.settings);
}

async function checkMayMoveOut(caller: Caller, message: Message, channel: Channel, realm: Realm) {
  const { can_move_messages_between_channels_group: movers, move_messages_between_streams_limit_seconds: limit } =
    realm.settings;
  if (!(await hasChannelPermission(caller, channel, "can_move_messages_out_of_channel_group", movers, realm)))
    throw badRequest("You don't have permission to move this message");
  if (!isModerator(caller) && isPastLimit(message, limit))
    throw badRequest("The time limit for editing this message's channel has passed");
}

async function checkMayChangeTopic(
  caller: Caller,
  message: Message,
  channel: Channel,
  isResolution: boolean,
  realm: Realm,
) {
  const { settings } = realm;
  if (isResolution) {
    const group = settings.can_resolve_topics_group;
    if (!(await hasChannelPermission(caller, channel, "can_resolve_topics_group", group, realm)))
      throw badRequest("You don't have permission to resolve topics.");
    return;
  }
  const group = settings.can_move_messages_between_topics_group;
  if (!(await hasChannelPermission(caller, channel, "can_move_messages_within_channel_group", group, realm)))
    throw badRequest("You don't have permission to edit this message");
  if (!isModerator(caller) && isPastLimit(message, settings.move_messages_within_stream_limit_seconds))
    throw badRequest("The time limit for editing this message's topic has passed.");
}

/** A whole topic may be moved only if all its messages that the caller can see are within the time limits. */
async function checkAllWithinLimits(
  caller: Caller,
  { channel, message, subscription, hasContentPermission }: AccessedMessage,
  { toOtherChannel, toOtherTopic }: { toOtherChannel: boolean; toOtherTopic: boolean },
  { settings }: Realm,
) {
  if (isModerator(caller) || !channel) return;
  const limitsSeconds = [
    toOtherTopic ? settings.move_messages_within_stream_limit_seconds : null,
    toOtherChannel ? settings.move_messages_between_streams_limit_seconds : null,
  ].filter((seconds) => seconds !== null);
  if (limitsSeconds.length === 0) return;
  const limitSeconds = Math.min(...limitsSeconds);
  const periods = mayReadHistory(caller, channel, subscription, hasContentPermission)
    ? undefined
    : (subscription?.periods ?? []);
  const isVisible = (candidate: Message) => periods === undefined || isWithin(periods, candidate);
  const oldestFirst = { from: 0, to: Number.MAX_SAFE_INTEGER, descending: false };
  const partition = topicPartition(channel.id, message.topic ?? "");
  const [oldest] = await readPartition("gsi2", partition, { ...oldestFirst, limit: 1 });
  if (oldest && !isPastLimit(oldest, limitSeconds)) return;
  const allMessages = await readPartition("gsi2", partition, { ...oldestFirst, limit: Number.POSITIVE_INFINITY });
  const messages = allMessages.filter(isVisible);
  const movable = messages.filter((candidate) => !isPastLimit(candidate, limitSeconds));
  if (movable.length < messages.length)
    throw moveTimeLimitExceeded(movable[0]?.id ?? null, messages.length, movable.length);
}
