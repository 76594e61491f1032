import { literal, oneOf, optional, strictObject, text, type Value } from "../../base/schema/params.ts";

/** The status of a device's registration for push notifications, for its owner. */
export const pushDeviceEvent = strictObject({
  type: literal("push_device"),
  push_account_id: text(),
  status: oneOf(["active", "pending", "failed"]),
  error_code: optional(text()),
});

declare module "../../base/schema/event-types.ts" {
  interface EventsSentAsLogged {
    push_device: Value<typeof pushDeviceEvent>;
  }
}
