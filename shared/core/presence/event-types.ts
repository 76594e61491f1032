import { int, literal, mapOf, number, optional, strictObject, text, type Value } from "../../base/schema/params.ts";
import { modernPresence, websitePresence } from "./wire.ts";

const type = literal("presence");
const legacyFields = {
  user_id: int(),
  server_timestamp: number(),
  presence: strictObject({ website: websitePresence }),
};

/**
 * A user is active: in the modern form by user ID; or in the legacy form, which clients with `slim_presence` get without
 * `email`.
 */
export const presenceEvents = [
  strictObject({ type, presences: mapOf(modernPresence) }),
  strictObject({ type, ...legacyFields, email: optional(text()) }),
];

/** The log entry has both forms; each client receives one of them. */
export const loggedPresence = strictObject({ type, ...legacyFields, email: text(), modern: modernPresence });

declare module "../../base/schema/event-types.ts" {
  interface LogEvents {
    presence: Value<typeof loggedPresence>;
  }
  interface ClientEvents {
    presence: Value<(typeof presenceEvents)[number]>;
  }
}
