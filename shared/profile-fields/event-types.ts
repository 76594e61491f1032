import { list, literal, strictObject, type Value } from "../schema/params.ts";
import { profileFieldObject } from "./wire.ts";

/** All custom profile fields, in their order. */
export const profileFieldsEvent = strictObject({
  type: literal("custom_profile_fields"),
  fields: list(profileFieldObject),
});
export type ProfileFieldsEvent = Value<typeof profileFieldsEvent>;

declare module "../schema/event-types.ts" {
  interface LogEvents {
    profileFields: ProfileFieldsEvent;
  }
  interface ClientEvents {
    profileFields: ProfileFieldsEvent;
  }
}
