import { badRequest } from "../errors.ts";
import { limits } from "../limits.ts";
import { lengthOf } from "./params.ts";

const truncationMark = "\n[message truncated]";

/** A message's text as it will be stored: trimmed as clients expect, cut at the limit, or an error when nothing is left. */
export function checkContent(text: string): string {
  const content = text.trimEnd().replace(/^\n+/, "");
  if (content === "") throw badRequest("Message must not be empty");
  if (content.includes("\0")) throw badRequest("Message must not contain null bytes");
  return truncate(content.toWellFormed(), limits.messageLength, truncationMark);
}

/** An edited text as it will be stored: blank stands for a message that its sender has emptied. */
export const checkEditedContent = (text: string): string => checkContent(text.trim() === "" ? "(deleted)" : text);

/** Text of at most `max` code points, ending in `mark` when it had to be cut. */
export function truncate(text: string, max: number, mark: string): string {
  if (text.length <= max || lengthOf(text) <= max) return text;
  return [...text].slice(0, max - lengthOf(mark)).join("") + mark;
}

/** Refuses control characters, lone surrogates and code points that are no characters; `what` is named in the error. */
export function checkCharacters(text: string, what: string): void {
  let position = 0;
  for (const character of text) {
    position++;
    if (/[\p{Cc}\p{Cs}\p{Cn}]/u.test(character))
      throw badRequest(`Invalid character in ${what}, at position ${position}!`);
  }
}
