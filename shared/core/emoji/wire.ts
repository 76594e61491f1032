import { bool, int, nullable, strictObject, string, type Value } from "../../base/schema/params.ts";
import { listEmoji, type OrganizationEmoji } from "../../store/organization/emoji.ts";
import { emojiUrl } from "./urls.ts";

/** A custom emoji; see https://zulip.com/api/get-custom-emoji. */
export const emojiObject = strictObject({
  id: string(),
  name: string(),
  source_url: string(),
  still_url: nullable(string()),
  deactivated: bool(),
  author_id: nullable(int()),
});

const toEmojiWire = (emoji: OrganizationEmoji): Value<typeof emojiObject> => ({
  id: String(emoji.id),
  name: emoji.name,
  source_url: emojiUrl(emoji.path),
  still_url: emoji.stillPath === undefined ? null : emojiUrl(emoji.stillPath),
  deactivated: emoji.deactivated,
  author_id: emoji.authorId,
});

/** Custom emoji by ID. */
export const toEmojiMapWire = (emoji: readonly OrganizationEmoji[]): Record<string, Value<typeof emojiObject>> =>
  Object.fromEntries(emoji.map((one) => [String(one.id), toEmojiWire(one)]));

export const realmEmojiState = async () => ({ realm_emoji: toEmojiMapWire(await listEmoji()) });
