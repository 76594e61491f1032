import { literal, strictObject, type Value } from "../schema/params.ts";

/** Invitations were created or removed. Sent to administrators and to the inviter. */
export const invitesChangedEvent = strictObject({ type: literal("invites_changed") });
export type InvitesChangedEvent = Value<typeof invitesChangedEvent>;

declare module "../schema/event-types.ts" {
  interface LogEvents {
    invitesChanged: InvitesChangedEvent;
  }
  interface ClientEvents {
    invitesChanged: InvitesChangedEvent;
  }
}
