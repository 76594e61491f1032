import { badRequest } from "../errors.ts";
import { variablesIn } from "../markdown/linkifiers.ts";
import type { Playground } from "../store/organization/short-lists.ts";

/** The maximum number of playgrounds in an organization. Limited because every client receives all of them. */
const maxPlaygrounds = 200;
/** All of them are stored in one item, and DynamoDB limits an item to 400 KB. */
const maxBytes = 300_000;

/** Checks a playground: its URL template must contain the variable "code" and no other. */
export function checkPlayground(playground: Omit<Playground, "id">): Omit<Playground, "id"> {
  const name = playground.name.trim().toWellFormed();
  const language = playground.language.trim();
  if (name === "") throw badRequest("name cannot be blank");
  if (language === "") throw badRequest("pygments_language cannot be blank");
  if (!/^[ a-zA-Z0-9_+\-./#]*$/.test(language)) throw badRequest("Invalid characters in pygments language");
  const variables = playground.urlTemplate === "" ? undefined : variablesIn(playground.urlTemplate);
  if (!variables || !/^https?:\/\//i.test(playground.urlTemplate)) throw badRequest("Invalid URL template.");
  if (!variables.includes("code")) throw badRequest('Missing the required variable "code" in the URL template');
  const unknownVariable = variables.find((variable) => variable !== "code");
  if (unknownVariable !== undefined) throw badRequest(`The URL template has the unknown variable "${unknownVariable}"`);
  return { name, language, urlTemplate: playground.urlTemplate };
}

/** Refuses a duplicate playground, or more than the limit. */
export function checkPlaygroundAgainstOthers(playground: Omit<Playground, "id">, others: readonly Playground[]): void {
  if (others.some(({ name, language }) => name === playground.name && language === playground.language))
    throw badRequest("A playground with this language and name already exists.");
  if (others.length >= maxPlaygrounds)
    throw badRequest(`An organization can have at most ${maxPlaygrounds} playgrounds.`);
  if (Buffer.byteLength(JSON.stringify([...others, playground])) > maxBytes)
    throw badRequest("The playgrounds of an organization take too much space.");
}
