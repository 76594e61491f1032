import { badRequest } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { lengthOf, oneOf, optional, string, text, type Values } from "../../base/schema/params.ts";
import { type Emoji, type ReactionType, reactionTypes } from "../../store/messages/reactions.ts";
import { checkEmoji, resolveEmoji } from "../emoji/access.ts";
import type { StatusChange } from "./status-actions.ts";

export const statusParams = {
  status_text: optional(text()),
  emoji_name: optional(string()),
  emoji_code: optional(string()),
  reaction_type: optional(oneOf([...reactionTypes, ""])),
};

/** Checks a change of a status. See https://zulip.com/api/update-status. */
export async function checkStatus(
  params: Values<typeof statusParams> & { away?: boolean | undefined },
): Promise<StatusChange> {
  const { emoji_name, emoji_code, reaction_type, away } = params;
  const statusText = params.status_text?.trim();
  if (statusText !== undefined && lengthOf(statusText) > limits.statusTextLength)
    throw badRequest(`status_text is too long (limit: ${limits.statusTextLength} characters)`);
  if (emoji_name === undefined && (emoji_code !== undefined || reaction_type !== undefined))
    throw badRequest("Client must pass emoji_name if they pass either emoji_code or reaction_type.");
  if (away === undefined && statusText === undefined && emoji_name === undefined)
    throw badRequest("Client did not pass any new values.");
  const emoji = emoji_name === undefined ? undefined : await checkStatusEmoji(emoji_name, emoji_code, reaction_type);
  return { away, text: statusText?.toWellFormed(), emoji };
}

/** An empty name clears the emoji. */
async function checkStatusEmoji(
  name: string,
  code: string | undefined,
  type: ReactionType | "" | undefined,
): Promise<Emoji> {
  if (name === "") return { name: "", code: "", type: "unicode_emoji" };
  // Clients that clear a status send all three parts empty; otherwise an empty type is invalid.
  if (type === "") throw badRequest("Invalid reaction_type");
  const emoji = await resolveEmoji(name, code, type);
  await checkEmoji(emoji);
  return emoji;
}
