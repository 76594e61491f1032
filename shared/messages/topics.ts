import { badRequest } from "../errors.ts";
import type { RealmSettings } from "../organization/settings.ts";
import { limits } from "../settings.ts";
import type { TopicsPolicy } from "../store/channels.ts";
import { truncated } from "./content.ts";

type TopicSettings = Pick<RealmSettings, "topics_policy" | "empty_topic_display_name">;

/** A topic as it will be stored: the names of the empty topic become "", and what the channel's policy forbids an error. */
export function checkTopic(text: string, policy: TopicsPolicy, settings: TopicSettings): string {
  const topic = topicName(text, settings);
  const effective = policy === "inherit" ? settings.topics_policy : policy;
  if (topic === "" && effective === "disable_empty_topic")
    throw badRequest("Sending messages to the general chat is not allowed in this channel.");
  if (topic !== "" && effective === "empty_topic_only")
    throw badRequest("Only the general chat topic is allowed in this channel.");
  return topic;
}

/** A topic's name in the form in which it is stored, wherever a client names one. */
export function topicName(text: string, { empty_topic_display_name }: Pick<TopicSettings, "empty_topic_display_name">) {
  const topic = text.trim();
  checkCharacters(topic, "topic");
  return truncated(unlessEmpty(topic, empty_topic_display_name), limits.topicLength, "...");
}

/** A topic, however a client names the empty one. */
export const unlessEmpty = (topic: string, emptyTopicDisplayName: string) =>
  topic === "(no topic)" || topic === emptyTopicDisplayName ? "" : topic;

/** Refuses control characters, lone surrogates and code points that are no characters; `what` is named in the error. */
export function checkCharacters(text: string, what: string): void {
  let position = 0;
  for (const character of text) {
    position++;
    if (/[\p{Cc}\p{Cs}\p{Cn}]/u.test(character))
      throw badRequest(`Invalid character in ${what}, at position ${position}!`);
  }
}

/** How a topic is shown to a client that may not know the empty one. */
export const shownTopic = (
  topic: string,
  allowEmpty: boolean,
  settings: Pick<TopicSettings, "empty_topic_display_name">,
) => (topic === "" && !allowEmpty ? settings.empty_topic_display_name : topic);
