import { literal, strictObject, type Value } from "../../base/schema/params.ts";

/** Invitations were created or removed. Sent to administrators and to the inviter. */
export const invitesChangedEvent = strictObject({ type: literal("invites_changed") });

declare module "../../base/schema/event-types.ts" {
  interface EventsSentAsLogged {
    invites_changed: Value<typeof invitesChangedEvent>;
  }
}
