import { ApiError } from "../errors.ts";
import { hasPermission } from "../groups/access.ts";
import type { Realm } from "../organization/access.ts";
import type { Channel } from "../store/channels.ts";
import { readPartition, topicPartition } from "../store/messages.ts";
import { reactionsOf } from "../store/reactions.ts";
import { listSubscriberIds } from "../store/subscriptions.ts";
import type { Caller } from "../users/caller.ts";
import type { RenderedText } from "./render.ts";

/** So many people anyone may call at once. */
const few = 15;
/** How far back a topic's participants are looked for, in messages. */
const lookback = 500;

/** Refuses a text that calls many people at once by an author who may not (`can_mention_many_users_group`). */
export async function checkWildcardMentions(
  author: Caller,
  rendered: Pick<RenderedText, "channelWildcard" | "topicWildcard">,
  channel: Channel,
  topic: string,
  { settings }: Realm,
): Promise<void> {
  if (!rendered.channelWildcard && !rendered.topicWildcard) return;
  if (await hasPermission(author, settings.can_mention_many_users_group, settings)) return;
  if (rendered.channelWildcard && (await listSubscriberIds(channel.id)).length > few)
    throw new ApiError(
      "STREAM_WILDCARD_MENTION_NOT_ALLOWED",
      "You do not have permission to use channel wildcard mentions in this channel.",
    );
  if (rendered.topicWildcard && (await participantsOf(channel.id, topic)) > few)
    throw new ApiError(
      "TOPIC_WILDCARD_MENTION_NOT_ALLOWED",
      "You do not have permission to use topic wildcard mentions in this topic.",
    );
}

/** How many people wrote or reacted in a topic of late. */
async function participantsOf(channelId: number, topic: string): Promise<number> {
  const newest = { from: 0, to: Number.MAX_SAFE_INTEGER, descending: true, limit: lookback };
  const messages = await readPartition("gsi2", topicPartition(channelId, topic), newest);
  return new Set(messages.flatMap((message) => [message.senderId, ...reactionsOf(message).map(({ userId }) => userId)]))
    .size;
}
