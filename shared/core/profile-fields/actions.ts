import { badRequest } from "../../base/errors.ts";
import { eventForEveryone } from "../../store/log/entry.ts";
import { changeShortList, type ProfileField, profileFieldsKey } from "../../store/organization/short-lists.ts";
import { accessField, checkFieldAgainstOthers } from "./rules.ts";
import { toFieldsWire } from "./wire.ts";

const fieldsEvent = (fields: readonly ProfileField[]) =>
  eventForEveryone({ type: "custom_profile_fields", fields: toFieldsWire(fields) });

/** Adds a field at the end of the order and returns its ID. */
export const addField = (field: Omit<ProfileField, "id">): Promise<number> =>
  changeShortList(profileFieldsKey, (list) => {
    checkFieldAgainstOthers(field, list.entries);
    const id = list.lastId + 1;
    const entries = [...list.entries, { id, ...field }];
    return { entries, lastId: id, events: [fieldsEvent(entries)], result: id };
  });

/** Applies `edit` to the field's current value. */
export const editField = (id: number, edit: (before: ProfileField) => ProfileField): Promise<void> =>
  changeShortList(profileFieldsKey, ({ entries: before }) => {
    const field = accessField(before, id);
    const others = before.filter((other) => other !== field);
    const after = edit(field);
    checkFieldAgainstOthers(after, others);
    const entries = before.map((other) => (other === field ? after : other));
    return { entries, events: [fieldsEvent(entries)] };
  });

/** Removes a field. Users' values of it stay stored, but are not shown. */
export const removeField = (id: number): Promise<void> =>
  changeShortList(profileFieldsKey, ({ entries: before }) => {
    const field = accessField(before, id);
    const entries = before.filter((other) => other !== field);
    return { entries, events: [fieldsEvent(entries)] };
  });

/** Reorders the fields. `ids` must list each field once. */
export const orderFields = (ids: readonly number[]): Promise<void> =>
  changeShortList(profileFieldsKey, ({ entries: before }) => {
    const entries = ids.flatMap((id) => before.find((field) => field.id === id) ?? []);
    if (new Set(ids).size !== ids.length || ids.length !== before.length || entries.length !== before.length)
      throw badRequest("Invalid order mapping.");
    return { entries, events: [fieldsEvent(entries)] };
  });
