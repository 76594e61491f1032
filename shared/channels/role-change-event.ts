import type { Role } from "../schema/roles.ts";
import { eventForUser, type LoggedEvent } from "../store/log/entry.ts";

/** The logged event of a role change; the channels that appear or disappear are derived when the log is read. */
export const roleChangedEvent = (userId: number, change: { before: Role; after: Role }): LoggedEvent =>
  eventForUser(userId, { type: "role_change", ...change });
