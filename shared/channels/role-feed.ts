import type { LoggedEvent } from "../store/log.ts";
import type { Role } from "../users/roles.ts";

/** A change of the reader's own role. */
export interface RoleChange {
  before: Role;
  after: Role;
}

/** What the log holds for someone whose role changes: which channels come and go for them follows when it is read. */
export const roleChange = (userId: number, change: RoleChange): LoggedEvent => ({
  audience: { kind: "users", userIds: [userId] },
  event: { type: "role_change", ...change },
});
