import { creationLimits, tooMany } from "../../base/creation-limits.ts";
import { badRequest } from "../../base/errors.ts";
import { int, strictObject, text, type Value } from "../../base/schema/params.ts";
import { eventForEveryone } from "../../store/log/entry.ts";
import type { Change } from "../../store/log/log.ts";
import {
  type Playground,
  playgroundsKey,
  readShortList,
  shortListChange,
} from "../../store/organization/short-lists.ts";
import { variablesIn } from "../markdown/linkifiers.ts";

/** The maximum number of playgrounds in an organization. Limited because every client receives all of them. */
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
function checkPlaygroundAgainstOthers(playground: Omit<Playground, "id">, others: readonly Playground[]): void {
  if (others.some(({ name, language }) => name === playground.name && language === playground.language))
    throw badRequest("A playground with this language and name already exists.");
  if (others.length >= creationLimits.playground.max) throw badRequest(tooMany("playground"));
  if (Buffer.byteLength(JSON.stringify([...others, playground])) > maxBytes)
    throw badRequest("The playgrounds of an organization take too much space.");
}

/** The code playground object; see https://zulip.com/api/add-code-playground. */
export const playgroundObject = strictObject({
  id: int(),
  name: text(),
  pygments_language: text(),
  url_template: text(),
});

const toPlaygroundWire = ({ id, name, language, urlTemplate }: Playground): Value<typeof playgroundObject> => ({
  id,
  name,
  pygments_language: language,
  url_template: urlTemplate,
});

export const playgroundsState = async () => ({
  realm_playgrounds: (await readShortList(playgroundsKey)).entries.map(toPlaygroundWire),
});

const playgroundsEvent = (playgrounds: readonly Playground[]) =>
  eventForEveryone({ type: "realm_playgrounds", realm_playgrounds: playgrounds.map(toPlaygroundWire) });

/** The change that adds a playground, and its ID. */
export async function addPlayground(fields: Omit<Playground, "id">): Promise<{ change: Change; id: number }> {
  const list = await readShortList(playgroundsKey);
  checkPlaygroundAgainstOthers(fields, list.entries);
  const id = list.lastId + 1;
  const entries = [...list.entries, { id, ...fields }];
  return {
    change: shortListChange(playgroundsKey, list, { entries, lastId: id, events: [playgroundsEvent(entries)] }),
    id,
  };
}

export async function removePlayground(id: number): Promise<Change> {
  const list = await readShortList(playgroundsKey);
  const entries = list.entries.filter((playground) => playground.id !== id);
  if (entries.length === list.entries.length) throw badRequest("Invalid playground");
  return shortListChange(playgroundsKey, list, { entries, events: [playgroundsEvent(entries)] });
}
