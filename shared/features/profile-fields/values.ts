import { badRequest } from "../../base/errors.ts";
import { lengthOf } from "../../base/schema/params.ts";
import { accessField } from "../../core/profile-fields/rules.ts";
import { fieldTypes } from "../../core/profile-fields/types.ts";
import { renderText } from "../../messaging/messages/render/render.ts";
import { type Caller, isAdministrator, isBot } from "../../services/identity/caller.ts";
import { findNamedUsers } from "../../services/identity/named.ts";
import type { Realm } from "../../services/organization/access.ts";
import { type ProfileField, profileFieldsKey, readShortList } from "../../store/organization/short-lists.ts";
import type { ProfileValue, User } from "../../store/users/users.ts";

/** New values by field ID; undefined removes the value. */
export type ProfileChange = Map<number, ProfileValue | undefined>;

interface RequestedValue {
  id: number;
  value?: unknown;
}

export function checkHasProfile(user: Pick<User, "botType">): void {
  if (isBot(user)) throw badRequest("Bots have no custom profile fields.");
}

/** Checks values and returns them in stored form. Refuses invalid values, and fields that only administrators can edit. */
export async function checkValues(
  caller: Caller,
  requestedValues: readonly RequestedValue[],
  realm: Realm,
): Promise<ProfileChange> {
  const { entries } = requestedValues.length > 0 ? await readShortList(profileFieldsKey) : { entries: [] };
  const fields = requestedValues.map(({ id }) => accessField(entries, id));
  for (const { editableByUser } of fields)
    if (!editableByUser && !isAdministrator(caller))
      throw badRequest("You are not allowed to change this field. Contact an administrator to update it.");
  const change: ProfileChange = new Map();
  for (const [index, field] of fields.entries()) {
    const value = requestedValues[index]?.value ?? null;
    const isEmpty = value === null || value === "" || (Array.isArray(value) && value.length === 0);
    change.set(field.id, isEmpty ? undefined : await checkValue(caller, field, value, realm));
  }
  return change;
}

async function checkValue(caller: Caller, field: ProfileField, value: unknown, realm: Realm): Promise<ProfileValue> {
  const { type, name, data } = field;
  if (type === fieldTypes.users) return { value: await checkUsers(caller, name, value) };
  if (typeof value !== "string") throw badRequest(`${name} is not a string`);
  const maxLength = type === fieldTypes.longText ? 500 : type === fieldTypes.url ? 2000 : 50;
  if (lengthOf(value) > maxLength) throw badRequest(`${name} is too long (limit: ${maxLength} characters)`);
  if (type === fieldTypes.select && !Object.hasOwn(JSON.parse(data), value))
    throw badRequest(`'${value}' is not a valid choice for '${name}'.`);
  if (type === fieldTypes.date && !isDate(value)) throw badRequest(`${name} is not a date`);
  if (type === fieldTypes.url && !isUrl(value)) throw badRequest(`${name} is not a URL`);
  const isText = type === fieldTypes.shortText || type === fieldTypes.longText;
  return { value, ...(isText && { html: (await renderText(value, realm)).html }) };
}

const maxUsers = 100;

async function checkUsers(caller: Caller, name: string, value: unknown): Promise<number[]> {
  if (!Array.isArray(value) || value.length > maxUsers || !value.every((id) => Number.isSafeInteger(id)))
    throw badRequest(`${name} is not a list of user IDs`);
  const ids: number[] = [...new Set(value)];
  const users = await findNamedUsers(caller, ids);
  const invalidId = ids.find((_, index) => !users[index]?.active || users[index]?.botType !== undefined);
  if (invalidId !== undefined) throw badRequest(`Invalid user ID: ${invalidId}`);
  return ids;
}

const isDate = (value: string) =>
  /^\d{4}-\d\d-\d\d$/.test(value) && new Date(`${value}T00:00:00Z`).toJSON()?.slice(0, 10) === value;

const isUrl = (value: string) => /^https?:\/\/\S+$/i.test(value) && URL.canParse(value);
