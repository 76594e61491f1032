import { badRequest } from "../errors.ts";
import { lengthOf } from "../http/params.ts";
import { limits } from "../settings.ts";

/** A snippet's title as it is stored: trimmed, not blank, at most 60 code points. */
export const checkTitle = (title: string) => checkText("title", title, limits.snippetTitleLength);

/** A snippet's content as it is stored: trimmed, not blank, at most as long as a message. */
export const checkSnippetContent = (content: string) => checkText("content", content, limits.messageLength);

function checkText(name: string, given: string, max: number): string {
  const text = given.trim().toWellFormed();
  if (text === "") throw badRequest(`${name} cannot be blank`);
  if (text.includes("\0")) throw badRequest(`${name} must not contain null bytes`);
  if (lengthOf(text) > max) throw badRequest(`${name} is too long (limit: ${max} characters)`);
  return text;
}
