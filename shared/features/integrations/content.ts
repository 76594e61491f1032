import { checkContent } from "../../base/schema/text.ts";
import type { Post } from "./integration.ts";
import { plain } from "./text.ts";

/**
 * What will be stored. A text from outside notifies nobody: a mention in it is interrupted by a character without width, and it
 * is no command at its beginning.
 */
export const contentOf = ({ content }: Pick<Post, "content">): string =>
  checkContent(
    content
      .replaceAll("\0", "\uFFFD")
      .replace(/@(?=_?\*)/g, "@\u200B")
      .replace(/^\s*(?=\/)/, "\u200B"),
  );

/** What is posted under a topic; undefined: in a direct message. Readers see the integration's own topic in any case. */
export const contentUnder = (topic: string | undefined, post: Post): string =>
  contentOf(topic?.toLowerCase() === topicName(post.topic).toLowerCase() ? post : withTopic(post));

/** A post that says what it is about where its topic is not shown: in the first line. */
function withTopic(post: Post): Post {
  const topic = plain(topicName(post.topic));
  return topic === "" || post.isTopicGeneral ? post : { ...post, content: `**${topic}**\n\n${post.content}` };
}

/** A topic without the characters that topics cannot have. */
export const topicName = (text = ""): string => text.replace(/[\p{Cc}\p{Cs}\p{Cn}\s]+/gu, " ").trim();
