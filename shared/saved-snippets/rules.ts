import { badRequest } from "../errors.ts";
import { limits } from "../limits.ts";
import { lengthOf } from "../schema/params.ts";

/** Returns a snippet's title in stored form: trimmed, not blank, at most 60 code points. */
export const checkTitle = (title: string) => checkText("title", title, limits.snippetTitleLength);

/** Returns a snippet's content in stored form: trimmed, not blank, at most as long as a message. */
export const checkSnippetContent = (content: string) => checkText("content", content, limits.messageLength);

export const tooManySnippets = () =>
  badRequest(`You can save at most ${limits.savedSnippets} snippets; delete one first.`);

function checkText(name: string, value: string, max: number): string {
  const text = value.trim().toWellFormed();
  if (text === "") throw badRequest(`${name} cannot be blank`);
  if (lengthOf(text) > max) throw badRequest(`${name} is too long (limit: ${max} characters)`);
  return text;
}
