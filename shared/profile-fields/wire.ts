import { bool, exactly, int, optional, text, type Value } from "../http/params.ts";
import type { ProfileField } from "../store/short-lists.ts";
import type { ProfileValue, User } from "../store/users.ts";
import { fieldTypes } from "./types.ts";

/** The record of a custom profile field (companion reference, C); `field_data` is JSON text. */
export const profileFieldObject = exactly({
  id: int(),
  type: int(),
  order: int(),
  name: text(),
  hint: text(),
  field_data: text(),
  required: bool(),
  editable_by_user: bool(),
  display_in_profile_summary: optional(bool()),
});

export const wireFields = (fields: readonly ProfileField[]): Value<typeof profileFieldObject>[] =>
  fields.map((field, index) => ({
    id: field.id,
    type: field.type,
    order: index + 1,
    name: field.name,
    hint: field.hint,
    field_data: field.data,
    required: field.required,
    editable_by_user: field.editableByUser,
    ...(field.inSummary && { display_in_profile_summary: true }),
  }));

/** `profile_data` of a user object: by field, what still has a place; bots have no such part. */
export const wireProfileData = ({ botType, profileValues = {} }: User, fields: readonly ProfileField[]) =>
  botType !== undefined
    ? {}
    : {
        profile_data: Object.fromEntries(
          fields.flatMap((field) => {
            const kept = profileValues[field.id];
            return kept && hasPlace(field, kept) ? [[String(field.id), wireValue(kept)]] : [];
          }),
        ),
      };

const hasPlace = ({ type, data }: ProfileField, { value }: ProfileValue) =>
  type !== fieldTypes.select || Object.hasOwn(JSON.parse(data), String(value));

export const wireValue = ({ value, html }: ProfileValue) => ({
  value,
  ...(html !== undefined && { rendered_value: html }),
});
