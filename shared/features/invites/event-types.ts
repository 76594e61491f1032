import { literal, strictObject } from "../../base/schema/params.ts";

/** Invitations were created or removed. Sent to administrators and to the inviter. */
export const invitesChangedEvent = strictObject({ type: literal("invites_changed") });
