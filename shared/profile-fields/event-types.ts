import { list, literal, strictObject, type Value } from "../schema/params.ts";
import { profileFieldObject } from "./wire.ts";

/** All custom profile fields, in their order. */
export const profileFieldsEvent = strictObject({
  type: literal("custom_profile_fields"),
  fields: list(profileFieldObject),
});

declare module "../schema/event-types.ts" {
  interface UnchangedEvents {
    profileFields: Value<typeof profileFieldsEvent>;
  }
}
