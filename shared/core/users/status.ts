import { bool, oneOf, optional, strictObject, string, type Value } from "../../base/schema/params.ts";
import { canonicalType, reactionTypes } from "../../store/messages/reactions.ts";
import type { UserStatus } from "../../store/users/user-status.ts";

/** A user's status: only the parts that are set. See https://zulip.com/api/get-user-status. */
export const statusFields = {
  away: optional(bool()),
  status_text: optional(string()),
  emoji_name: optional(string()),
  emoji_code: optional(string()),
  reaction_type: optional(oneOf(reactionTypes)),
};
export const statusObject = strictObject(statusFields);
export type StatusObject = Value<typeof statusObject>;

export const toStatusWire = ({
  away,
  text,
  emojiName,
  emojiCode,
  emojiType,
}: Partial<UserStatus> = {}): StatusObject => ({
  ...(away && { away }),
  ...(text && { status_text: text }),
  ...(emojiName && {
    emoji_name: emojiName,
    emoji_code: emojiCode,
    reaction_type: emojiType && canonicalType(emojiType),
  }),
});
