import type { ClientEvent, LogEventOf } from "../../base/schema/event-types.ts";
import { bool, int, literal, optional, strictObject, text, union } from "../../base/schema/params.ts";

/** Ends a poll without events, whatever types the client asked for. */
export const heartbeat = strictObject({ type: literal("heartbeat") });

const setting = union([bool(), int(), text()], "a setting");

/** Changes of settings for clients without the capability `user_settings_object`, which get the newer event as well. */
export const legacySettingEvents = [
  strictObject({
    ...{ type: literal("update_display_settings"), user: text(), setting_name: text(), setting },
    language_name: optional(text()),
  }),
  strictObject({ type: literal("update_global_notifications"), user: text(), notification_name: text(), setting }),
];

/** A no-op entry of the log, which is visible to nobody. Its stored type is `silence`. */
export const noopEvent = strictObject({ type: literal("silence") });

/** An event before it is adapted to a client's capabilities: events of presence and groups have the fields for all clients. */
export type QueuedEvent = ClientEvent | LogEventOf<"presence" | "user_group">;
