import { randomUUID } from "node:crypto";
import { badRequest } from "../../errors.ts";
import type { Caller } from "../../identity/caller.ts";
import { type OutboxJob, outboxJob } from "../../jobs/outbox.ts";
import { describeError } from "../../observability/describe-error.ts";
import type { Realm } from "../../organization/access.ts";
import { hasPermission } from "../../permissions/access.ts";
import type { Role } from "../../schema/roles.ts";
import { type ChangePart, noChange } from "../../store/log/log.ts";
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
 * Creates an account in one transaction with `composeExtra`'s writes and a job for the rest (channels, groups, welcome). The rest is
 * normally done here, and the job dropped. Refuses an address that is in use.
 */
export async function admitUser(
  { email, fullName, password, identity, role, ...jobFields }: NewMember,
  realm: Realm,
  composeExtra: (user: User) => ChangePart = () => noChange,
): Promise<{ user: User; apiKey: string }> {
  const id = randomUUID();
  let job: OutboxJob | undefined;
  let mail: OutboxJob | undefined;
  const created = await addUser({ email, fullName, password, identity, role }, (user) => {
    job = outboxJob(finishAdmissionJob, { ...jobFields, id, user_id: user.id });
    mail = welcomeMail(user, realm);
    const extra = composeExtra(user);
    return { ...extra, writes: [...extra.writes, job.write, ...(mail ? [mail.write] : [])] };
  });
  await mail?.send();
  try {
    await finishAdmission({ ...jobFields, id, user_id: created.user.id });
    await job?.drop();
  } catch (error) {
    // The account exists: the job completes the rest.
    console.error(JSON.stringify({ admission: created.user.id, error: describeError(error) }));
    await job?.send();
  }
  return created;
}
