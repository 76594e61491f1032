import { randomUUID } from "node:crypto";
import { badRequest } from "../../base/errors.ts";
import type { Role } from "../../base/schema/roles.ts";
import type { Caller } from "../../services/identity/caller.ts";
import { nowOrLater } from "../../services/jobs/outbox.ts";
import type { Realm } from "../../services/organization/access.ts";
import { hasPermission } from "../../services/permissions/access.ts";
import { type ChangePart, joinParts, noChange } from "../../store/log/log.ts";
import { findAccount } from "../../store/users/accounts.ts";
import type { User } from "../../store/users/users.ts";
import { welcomeMail } from "./account-emails.ts";
import { emailInUse } from "./changes.ts";
import { addUser } from "./create.ts";
import { finishAdmission } from "./finish-admission.ts";
import { type FinishAdmission, finishAdmissionJob } from "./jobs.ts";

export async function checkMayCreateUsers(caller: Caller, { settings }: Realm): Promise<void> {
  if (!(await hasPermission(caller, settings.can_create_users_group, settings)))
    throw badRequest("User not authorized to create users");
}

/**
 * Refuses the address of an existing account. If two are created at once, a condition of the transaction refuses the second.
 * Costs 1 read unit.
 */
export async function checkAddressFree(email: string): Promise<void> {
  if (await findAccount(email)) throw emailInUse(email);
}

/** A new user with their initial channels, groups and welcome message. */
interface NewMember extends Omit<FinishAdmission, "id" | "user_id"> {
  email: string;
  fullName: string;
  /** Absent: they sign in by an identity provider. */
  password?: string | undefined;
  identity?: string | undefined;
  role: Role;
}

/**
 * Creates an account in one transaction with what `composeExtra` adds; then the rest (channels, groups, welcome), which a job does if
 * the request cannot. Refuses an address that is in use.
 */
export function admitUser(
  { email, fullName, password, identity, role, ...jobFields }: NewMember,
  realm: Realm,
  composeExtra: (user: User) => ChangePart = () => noChange,
): Promise<{ user: User; apiKey: string }> {
  return addUser({ email, fullName, password, identity, role }, (user) => {
    const rest = { ...jobFields, id: randomUUID(), user_id: user.id };
    const mail = welcomeMail(user, realm);
    return joinParts(composeExtra(user), {
      followUps: [...(mail ? [mail] : []), nowOrLater(finishAdmissionJob, rest, () => finishAdmission(rest))],
    });
  });
}
