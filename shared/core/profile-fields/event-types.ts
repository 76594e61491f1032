import { list, literal, strictObject, type Value } from "../../base/schema/params.ts";
import { profileFieldObject } from "./wire.ts";

/** All custom profile fields, in their order. */
export const profileFieldsEvent = strictObject({
  type: literal("custom_profile_fields"),
  fields: list(profileFieldObject),
});

declare module "../../base/schema/event-types.ts" {
  interface EventsSentAsLogged {
    custom_profile_fields: Value<typeof profileFieldsEvent>;
  }
}
