import { creationLimits, tooMany } from "../../base/creation-limits.ts";
import { badRequest } from "../../base/errors.ts";
import type { ProfileField } from "../../store/organization/short-lists.ts";
import { fieldTypes } from "./types.ts";

const maxSummaryFields = 2;
const maxChoices = 200;

/** Checks a field and returns it in stored form. Refuses names, hints or data that are invalid for its type. */
export function checkField(field: Omit<ProfileField, "id">): Omit<ProfileField, "id"> {
  const name = field.name.trim();
  if (name === "") throw badRequest("Label cannot be blank.");
  const typesWithoutSummary: number[] = [fieldTypes.longText, fieldTypes.users];
  if (field.inSummary && typesWithoutSummary.includes(field.type))
    throw badRequest("Field type not supported for display in profile summary.");
  return { ...field, name, hint: field.hint.trim() };
}

/** Refuses a name in use, and more fields, in all or in the profile summary, than the limit. */
export function checkFieldAgainstOthers(field: Omit<ProfileField, "id">, others: readonly ProfileField[]): void {
  if (others.some(({ name }) => name === field.name)) throw badRequest("A field with that label already exists.");
  if (others.length >= creationLimits.profileField.max) throw badRequest(tooMany("profileField"));
  if (field.inSummary && others.filter(({ inSummary }) => inSummary).length >= maxSummaryFields)
    throw badRequest("Only 2 custom profile fields can be displayed in the profile summary.");
}

/** Checks a field's type-specific data and returns it as JSON text. */
export function checkFieldData(type: number, data: Record<string, unknown>): string {
  if (type === fieldTypes.select) return checkChoices(data);
  if (type === fieldTypes.externalAccount) return checkExternalAccount(data);
  return "";
}

function checkChoices(data: Record<string, unknown>): string {
  const choices = Object.entries(data);
  if (choices.length === 0) throw badRequest("Field must have at least one choice.");
  if (choices.length > maxChoices) throw badRequest(`Field must have at most ${maxChoices} choices.`);
  const checkedChoices = choices.map(([key, choice]) => {
    const { text, order } = (typeof choice === "object" && choice !== null ? choice : {}) as Record<string, unknown>;
    if (key.trim() === "") throw badRequest("'value' cannot be blank.");
    if (key.length > 100) throw badRequest("'value' is too long (limit: 100 characters)");
    if (typeof text !== "string" || text.trim() === "" || text.length > 50)
      throw badRequest(`field_data["${key}"]["text"] must be 1 to 50 characters`);
    if (typeof order !== "string" || order.length > 10)
      throw badRequest(`field_data["${key}"]["order"] is not a string`);
    return [key, { text, order }] as const;
  });
  if (new Set(checkedChoices.map(([, { text }]) => text)).size < checkedChoices.length)
    throw badRequest("Field must not have duplicate choices.");
  return JSON.stringify(Object.fromEntries(checkedChoices));
}

function checkExternalAccount({ subtype, url_pattern }: Record<string, unknown>): string {
  // Must match `default_external_accounts` in the initial state.
  if (subtype === "github") return JSON.stringify({ subtype });
  if (subtype !== "custom") throw badRequest("Invalid external account type");
  if (typeof url_pattern !== "string" || url_pattern.split("%(username)s").length !== 2)
    throw badRequest("URL pattern must contain '%(username)s'.");
  if (!/^https?:\/\/[^\s]{1,500}$/.test(url_pattern)) throw badRequest("url_pattern is not a URL");
  return JSON.stringify({ subtype, url_pattern });
}

/** Returns a field by ID; throws if it does not exist. */
export function accessField(fields: readonly ProfileField[], id: number): ProfileField {
  const found = fields.find((field) => field.id === id);
  if (!found) throw badRequest(`Field id ${id} not found.`);
  return found;
}
