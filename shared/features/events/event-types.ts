import type { ClientEvent, LogEventOf } from "../../base/schema/event-types.ts";
import { bool, int, literal, optional, strictObject, text, union, type Value } from "../../base/schema/params.ts";

/** Ends a poll without events, whatever types the client asked for. */
export const heartbeat = strictObject({ type: literal("heartbeat") });

const setting = union([bool(), int(), text()], "a setting");

/** A changed setting for clients without the capability `user_settings_object`, which get the newer event as well. */
export const displaySettingEvent = strictObject({
  ...{ type: literal("update_display_settings"), user: text(), setting_name: text(), setting },
  language_name: optional(text()),
});

/** A changed setting of notifications for the same clients. */
export const notificationSettingEvent = strictObject({
  type: literal("update_global_notifications"),
  user: text(),
  notification_name: text(),
  setting,
});

/** An event before it is adapted to a client's capabilities: events of presence and groups have the fields for all clients. */
export type QueuedEvent = ClientEvent | LogEventOf<"presence" | "user_group">;

declare module "../../base/schema/event-types.ts" {
  interface ClientEvents {
    heartbeat: Value<typeof heartbeat>;
    update_display_settings: Value<typeof displaySettingEvent>;
    update_global_notifications: Value<typeof notificationSettingEvent>;
  }
}
