import { checkContent } from "../schema/text.ts";
import type { Post } from "./integration.ts";

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

/** A topic without the characters that topics cannot have. */
export const topicName = (text = ""): string => text.replace(/[\p{Cc}\p{Cs}\p{Cn}\s]+/gu, " ").trim();
