import { bool, exactly, oneOf, optional, string, type Value } from "../http/params.ts";
import { reactionTypes } from "../store/reactions.ts";
import type { UserStatus } from "../store/user-status.ts";

/** A user's status (2.9): only what is set. */
export const statusObject = exactly({
  away: optional(bool()),
  status_text: optional(string()),
  emoji_name: optional(string()),
  emoji_code: optional(string()),
  reaction_type: optional(oneOf(reactionTypes)),
});
export type StatusObject = Value<typeof statusObject>;

export const wireStatus = ({
  away,
  text,
  emojiName,
  emojiCode,
  emojiType,
}: Partial<UserStatus> = {}): StatusObject => ({
  ...(away && { away }),
  ...(text && { status_text: text }),
  ...(emojiName && { emoji_name: emojiName, emoji_code: emojiCode, reaction_type: emojiType }),
});
