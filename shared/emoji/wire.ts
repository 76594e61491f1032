import { bool, exactly, int, nullable, string, type Value } from "../http/params.ts";
import type { OrganizationEmoji } from "../store/emoji.ts";
import { emojiUrl } from "./urls.ts";

/** An organization's emoji (companion reference, C). */
export const emojiObject = exactly({
  id: string(),
  name: string(),
  source_url: string(),
  still_url: nullable(string()),
  deactivated: bool(),
  author_id: nullable(int()),
});

export const wireEmoji = (emoji: OrganizationEmoji): Value<typeof emojiObject> => ({
  id: String(emoji.id),
  name: emoji.name,
  source_url: emojiUrl(emoji.path),
  still_url: emoji.stillPath === undefined ? null : emojiUrl(emoji.stillPath),
  deactivated: emoji.deactivated,
  author_id: emoji.authorId,
});

/** All emoji by their IDs. */
export const wireEmojiMap = (emoji: readonly OrganizationEmoji[]): Record<string, Value<typeof emojiObject>> =>
  Object.fromEntries(emoji.map((one) => [String(one.id), wireEmoji(one)]));
