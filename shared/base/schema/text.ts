import { badRequest } from "../errors.ts";
import { limits } from "../limits.ts";
import { isUnseen } from "../name-key.ts";
import { lengthOf } from "./params.ts";

const truncationMark = "\n[message truncated]";

/** Returns a message's text as it will be stored, trimmed and truncated; throws when it is empty. */
export function checkContent(text: string): string {
  const content = text.trimEnd().replace(/^\n+/, "");
  if (content === "") throw badRequest("Message must not be empty");
  if (content.includes("\0")) throw badRequest("Message must not contain null bytes");
  return truncateContent(content);
}

/** Truncates a message's text to `max` characters; lone surrogates are replaced. */
export const truncateContent = (text: string, max: number = limits.messageLength): string =>
  truncate(text.toWellFormed(), max, truncationMark);

/** Like `checkContent`, for an edit, which may empty the message. */
export const checkEditedContent = (text: string): string => checkContent(text.trim() === "" ? "(deleted)" : text);

/** Truncates a string to `max` code points, including the `mark` that replaces the rest. */
export function truncate(text: string, max: number, mark: string): string {
  if (text.length <= max || lengthOf(text) <= max) return text;
  return [...text].slice(0, max - lengthOf(mark)).join("") + mark;
}

/** The value of a JSON text; undefined, which no JSON text means, if it is not valid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether the lists and objects of a JSON value have more than `max` values, all together. Uses no recursion, as they may be deep. */
export function hasMoreValuesThan(max: number, value: unknown): boolean {
  const stack = [value];
  let count = 0;
  while (stack.length > 0) {
    const next = stack.pop();
    if (typeof next !== "object" || next === null) continue;
    const isList = Array.isArray(next);
    // Of an object with very many keys, the values take longer to list than the keys.
    count += isList ? next.length : Object.keys(next).length;
    if (count > max) return true;
    for (const inner of isList ? next : Object.values(next)) stack.push(inner);
  }
  return false;
}

/** Throws for control characters, lone surrogates and unassigned code points; the error calls the text `label`. */
export function checkCharacters(text: string, label: string): void {
  let position = 0;
  for (const character of text) {
    position++;
    if (/[\p{Cc}\p{Cs}\p{Cn}]/u.test(character))
      throw badRequest(`Invalid character in ${label}, at position ${position}!`);
  }
}

/** Checks the name of an object, which errors call `label`, and returns it in stored form. */
export function checkName(text: string, label: string, max: number): string {
  const name = text.trim();
  const subject = label.replace(/^./, (letter) => letter.toUpperCase());
  if (isUnseen(name)) throw badRequest(`${subject} can't be empty.`);
  if (lengthOf(name) > max) throw badRequest(`${subject} too long (limit: ${max} characters).`);
  checkCharacters(name, label);
  return name;
}

/** Checks the description of an object and returns it in stored form. */
export function checkDescription(text: string, max: number): string {
  const description = text.trim().toWellFormed();
  if (description.includes("\0")) throw badRequest("Invalid character in description");
  if (lengthOf(description) > max) throw badRequest(`description is too long (limit: ${max} characters)`);
  return description;
}
