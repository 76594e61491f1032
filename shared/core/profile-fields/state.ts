import { profileFieldsKey, readShortList } from "../../store/organization/short-lists.ts";
import { toFieldsWire } from "./wire.ts";

/** The organization's custom profile fields in their order; 1 read unit. */
export const listProfileFields = async () => (await readShortList(profileFieldsKey)).entries;

const kinds = {
  SHORT_TEXT: { id: 1, name: "Text (short)" },
  LONG_TEXT: { id: 2, name: "Text (long)" },
  SELECT: { id: 3, name: "List of options" },
  DATE: { id: 4, name: "Date picker" },
  URL: { id: 5, name: "Link" },
  USER: { id: 6, name: "Users" },
  EXTERNAL_ACCOUNT: { id: 7, name: "External account" },
  PRONOUNS: { id: 8, name: "Pronouns" },
};

export const profileFieldsState = async () => ({
  custom_profile_fields: toFieldsWire(await listProfileFields()),
  custom_profile_field_types: kinds,
});
