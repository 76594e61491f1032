import { checkEmoji, emojiNamed } from "../emoji/access.ts";
import { badRequest } from "../errors.ts";
import { lengthOf, oneOf, optional, string, text } from "../http/params.ts";
import { limits } from "../settings.ts";
import { type Emoji, type ReactionType, reactionTypes } from "../store/reactions.ts";
import type { StatusChange } from "./status-actions.ts";

export const statusParams = {
  status_text: optional(text()),
  emoji_name: optional(string()),
  emoji_code: optional(string()),
  reaction_type: optional(oneOf([...reactionTypes, ""])),
};

interface Sent {
  status_text?: string | undefined;
  emoji_name?: string | undefined;
  emoji_code?: string | undefined;
  reaction_type?: ReactionType | "" | undefined;
  away?: boolean | undefined;
}

/** What a request changes of a status (companion reference, G), or the error that says why it may not. */
export async function checkStatus(sent: Sent): Promise<StatusChange> {
  const { emoji_name, emoji_code, reaction_type, away } = sent;
  const statusText = sent.status_text?.trim();
  if (statusText !== undefined && lengthOf(statusText) > limits.statusTextLength)
    throw badRequest(`status_text is too long (limit: ${limits.statusTextLength} characters)`);
  if (emoji_name === undefined && (emoji_code !== undefined || reaction_type !== undefined))
    throw badRequest("Client must pass emoji_name if they pass either emoji_code or reaction_type.");
  if (away === undefined && statusText === undefined && emoji_name === undefined)
    throw badRequest("Client did not pass any new values.");
  const emoji = emoji_name === undefined ? undefined : await emojiOf(emoji_name, emoji_code, reaction_type);
  return { away, text: statusText?.toWellFormed(), emoji };
}

/** Code and type follow from the name where they were not sent; an empty name clears all three. */
async function emojiOf(name: string, code: string | undefined, type: ReactionType | "" | undefined): Promise<Emoji> {
  if (name === "") return { name: "", code: "", type: "unicode_emoji" };
  // Clients that clear a status send all three of its emoji's parts empty.
  if (type === "") throw badRequest("Invalid reaction_type");
  const named = code === undefined || type === undefined ? await emojiNamed(name) : undefined;
  const emoji = { name, code: code ?? named?.code ?? "", type: type ?? named?.type ?? "unicode_emoji" };
  await checkEmoji(emoji);
  return emoji;
}
