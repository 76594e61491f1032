import { ApiError, badRequest } from "../../../base/errors.ts";
import type { Caller } from "../../../services/identity/caller.ts";
import type { Realm } from "../../../services/organization/access.ts";
import { hasPermission } from "../../../services/permissions/access.ts";
import type { Channel } from "../../../store/channels/channels.ts";
import { listSubscriberIds } from "../../../store/channels/subscriptions.ts";
import { readPartition, topicPartition } from "../../../store/messages/messages.ts";
import { reactionsOf } from "../../../store/messages/reactions.ts";
import { findGroups } from "../../../store/organization/groups.ts";
import type { RenderedText } from "../render/render.ts";

/**
 * Refuses content that mentions a group which its author may not mention (the group's `can_mention_group`), or anybody if an agent
 * writes it whose key is not for mentions.
 */
export async function checkMentions(author: Caller, rendered: RenderedText, { settings }: Realm): Promise<void> {
  if (author.agentKey && !author.agentKey.writing?.mentions && mentionsAnybody(rendered))
    throw badRequest("The key is not for mentions");
  if (rendered.mentionedGroupIds.length === 0) return;
  for (const group of await findGroups(rendered.mentionedGroupIds)) {
    if (group && !(await hasPermission(author, group.settings.canMentionGroup, settings)))
      throw badRequest(`You are not allowed to mention user group '${group.name}'.`);
  }
}

const mentionsAnybody = ({ mentionedUserIds, mentionedGroupIds, channelWildcard, topicWildcard }: RenderedText) =>
  mentionedUserIds.length > 0 || mentionedGroupIds.length > 0 || channelWildcard || topicWildcard;

/** A wildcard mention of up to this many people needs no permission. */
const maxMentionedWithoutPermission = 15;
/** A topic's participants are counted in this many of its newest messages. */
const maxLookbackMessages = 500;

/** Refuses wildcard mentions of many people unless `can_mention_many_users_group` includes the author. */
export async function checkWildcardMentions(
  author: Caller,
  rendered: Pick<RenderedText, "channelWildcard" | "topicWildcard">,
  channel: Channel,
  topic: string,
  { settings }: Realm,
): Promise<void> {
  if (!rendered.channelWildcard && !rendered.topicWildcard) return;
  if (await hasPermission(author, settings.can_mention_many_users_group, settings)) return;
  if (rendered.channelWildcard && (await listSubscriberIds(channel.id)).length > maxMentionedWithoutPermission)
    throw new ApiError(
      "STREAM_WILDCARD_MENTION_NOT_ALLOWED",
      "You do not have permission to use channel wildcard mentions in this channel.",
    );
  if (rendered.topicWildcard && (await countTopicParticipants(channel.id, topic)) > maxMentionedWithoutPermission)
    throw new ApiError(
      "TOPIC_WILDCARD_MENTION_NOT_ALLOWED",
      "You do not have permission to use topic wildcard mentions in this topic.",
    );
}

/** How many users sent a topic's newest messages, or reacted to them. */
async function countTopicParticipants(channelId: number, topic: string): Promise<number> {
  const newestFirst = { from: 0, to: Number.MAX_SAFE_INTEGER, descending: true, limit: maxLookbackMessages };
  const messages = await readPartition("gsi2", topicPartition(channelId, topic), newestFirst);
  return new Set(messages.flatMap((message) => [message.senderId, ...reactionsOf(message).map(({ userId }) => userId)]))
    .size;
}
