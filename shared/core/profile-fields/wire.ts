import { bool, int, optional, strictObject, text, type Value } from "../../base/schema/params.ts";
import type { ProfileField } from "../../store/organization/short-lists.ts";
import type { ProfileValue, User } from "../../store/users/users.ts";
import { fieldTypes } from "./types.ts";

/** The custom profile field object; `field_data` is JSON text. See https://zulip.com/api/get-custom-profile-fields. */
export const profileFieldObject = strictObject({
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

export const toFieldsWire = (fields: readonly ProfileField[]): Value<typeof profileFieldObject>[] =>
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

/** `profile_data` of a user object: values of existing fields, by field ID; bots have no such part. */
export const toProfileDataWire = ({ botType, profileValues = {} }: User, fields: readonly ProfileField[]) =>
  botType !== undefined
    ? {}
    : {
        profile_data: Object.fromEntries(
          fields.flatMap((field) => {
            const stored = profileValues[field.id];
            return stored && isShown(field, stored) ? [[String(field.id), toValueWire(stored)]] : [];
          }),
        ),
      };

const isShown = ({ type, data }: ProfileField, { value }: ProfileValue) =>
  type !== fieldTypes.select || Object.hasOwn(JSON.parse(data), String(value));

/** The value in every reply and event: always text, which for users is a JSON list of their IDs. */
export const toValueWire = ({ value, html }: ProfileValue) => ({
  value: typeof value === "string" ? value : JSON.stringify(value),
  ...(html !== undefined && { rendered_value: html }),
});
