import { list, literal, strictObject } from "../../base/schema/params.ts";
import { profileFieldObject } from "./wire.ts";

/** All custom profile fields, in their order. */
export const profileFieldsEvent = strictObject({
  type: literal("custom_profile_fields"),
  fields: list(profileFieldObject),
});
