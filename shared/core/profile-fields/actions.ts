import { badRequest } from "../../base/errors.ts";
import { eventForEveryone } from "../../store/log/entry.ts";
import type { Change } from "../../store/log/log.ts";
import {
  type ProfileField,
  profileFieldsKey,
  readShortList,
  shortListChange,
} from "../../store/organization/short-lists.ts";
import { accessField, checkFieldAgainstOthers } from "./rules.ts";
import { toFieldsWire } from "./wire.ts";

const fieldsEvent = (fields: readonly ProfileField[]) =>
  eventForEveryone({ type: "custom_profile_fields", fields: toFieldsWire(fields) });

/** The change that adds a field at the end of the order, and its ID. */
export async function addField(field: Omit<ProfileField, "id">): Promise<{ change: Change; id: number }> {
  const list = await readShortList(profileFieldsKey);
  checkFieldAgainstOthers(field, list.entries);
  const id = list.lastId + 1;
  const entries = [...list.entries, { id, ...field }];
  return {
    change: shortListChange(profileFieldsKey, list, { entries, lastId: id, events: [fieldsEvent(entries)] }),
    id,
  };
}

/** Applies `edit` to the field's current value. */
export async function editField(id: number, edit: (before: ProfileField) => ProfileField): Promise<Change> {
  const list = await readShortList(profileFieldsKey);
  const field = accessField(list.entries, id);
  const others = list.entries.filter((other) => other !== field);
  const after = edit(field);
  checkFieldAgainstOthers(after, others);
  const entries = list.entries.map((other) => (other === field ? after : other));
  return shortListChange(profileFieldsKey, list, { entries, events: [fieldsEvent(entries)] });
}

/** Removes a field. Users' values of it stay stored, but are not shown. */
export async function removeField(id: number): Promise<Change> {
  const list = await readShortList(profileFieldsKey);
  const field = accessField(list.entries, id);
  const entries = list.entries.filter((other) => other !== field);
  return shortListChange(profileFieldsKey, list, { entries, events: [fieldsEvent(entries)] });
}

/** Reorders the fields. `ids` must list each field once. */
export async function orderFields(ids: readonly number[]): Promise<Change> {
  const list = await readShortList(profileFieldsKey);
  const entries = ids.flatMap((id) => list.entries.find((field) => field.id === id) ?? []);
  const count = list.entries.length;
  if (new Set(ids).size !== ids.length || ids.length !== count || entries.length !== count)
    throw badRequest("Invalid order mapping.");
  return shortListChange(profileFieldsKey, list, { entries, events: [fieldsEvent(entries)] });
}
