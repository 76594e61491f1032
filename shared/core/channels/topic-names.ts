import { badRequest } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import type { RealmSettings } from "../../base/schema/organization-settings.ts";
import { checkCharacters, truncate } from "../../base/schema/text.ts";
import type { TopicsPolicy } from "../../store/channels/channels.ts";

type TopicSettings = Pick<RealmSettings, "topics_policy" | "empty_topic_display_name">;

/** Checks a topic against the channel's policy and returns it in stored form. */
export function checkTopic(text: string, policy: TopicsPolicy, settings: TopicSettings): string {
  const topic = toStoredTopic(text, settings);
  const effectivePolicy = policy === "inherit" ? settings.topics_policy : policy;
  if (topic === "" && effectivePolicy === "disable_empty_topic")
    throw badRequest("Sending messages to the general chat is not allowed in this channel.");
  if (topic !== "" && effectivePolicy === "empty_topic_only")
    throw badRequest("Only the general chat topic is allowed in this channel.");
  return topic;
}

/** A topic's name in stored form; the names of the empty topic become "". Throws for disallowed characters. */
export function toStoredTopic(
  text: string,
  { empty_topic_display_name }: Pick<TopicSettings, "empty_topic_display_name">,
) {
  const topic = text.trim();
  checkCharacters(topic, "topic");
  return truncate(normalizeEmptyTopic(topic, empty_topic_display_name), limits.topicLength, "...");
}

/** Maps the names that clients use for the empty topic to "". */
export const normalizeEmptyTopic = (topic: string, emptyTopicDisplayName: string) =>
  topic === "(no topic)" || topic === emptyTopicDisplayName ? "" : topic;

/** A topic's name for a client; those without support for the empty topic get its display name. */
export const toDisplayTopic = (
  topic: string,
  allowEmpty: boolean,
  settings: Pick<TopicSettings, "empty_topic_display_name">,
) => (topic === "" && !allowEmpty ? settings.empty_topic_display_name : topic);
