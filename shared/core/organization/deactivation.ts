import { randomUUID } from "node:crypto";
import { isMailEnabled } from "../../base/environment.ts";
import { badRequest } from "../../base/errors.ts";
import { realmId } from "../../base/limits.ts";
import { nowSeconds } from "../../base/time.ts";
import { nowOrLater, outboxJob } from "../../services/jobs/outbox.ts";
import { sendMailJob } from "../../services/mail/jobs.ts";
import { accessOrganization } from "../../services/organization/access.ts";
import { eventForEveryone } from "../../store/log/entry.ts";
import { commit } from "../../store/log/log.ts";
import { auditRecord } from "../../store/organization/audit-log.ts";
import { updateOrganization } from "../../store/organization/organization.ts";
import { succeeds } from "../../store/table/conflicts.ts";
import { withConsistentReads } from "../../store/table/consistency.ts";
import type { FollowUp } from "../../store/table/follow-ups.ts";
import { transact } from "../../store/table/transactions.ts";
import { setRealmDeactivated } from "../../store/users/accounts.ts";
import { listUsers } from "../../store/users/users.ts";
import { syncDeactivationMarksJob } from "./deactivation-jobs.ts";

/** Accounts are written concurrently, so that most organizations are done within the request. */
const maxConcurrentWrites = 16;

/**
 * Deactivates the organization: sends an event to waiting clients, refuses every account from then on, and mails the owners.
 * Nothing is deleted. Each account gets its own mark, so that authentication need not read the organization; a job
 * finishes the marking if this function runs out of time.
 */
export async function deactivateOrganization(deletionDelayDays: number | null | undefined): Promise<void> {
  // Scheduled deletion is not supported.
  if (typeof deletionDelayDays === "number")
    throw badRequest("deletion_delay_days is not supported by this server: data is not deleted.");
  const organization = await accessOrganization();
  if (organization.deactivatedAt !== undefined) return;
  const mails = await mailsToOwners(organization.name, organization.ownerIds ?? new Set());
  // Another owner may deactivate it concurrently.
  await succeeds(
    commit({
      writes: [
        updateOrganization({ set: { deactivatedAt: nowSeconds() } }, { equals: { deactivatedAt: undefined } }),
        auditRecord("organization_deactivated", {}),
      ],
      events: [eventForEveryone({ type: "realm", op: "deactivated", realm_id: realmId })],
      followUps: [nowOrLater(syncDeactivationMarksJob, {}, async () => void (await syncDeactivationMarks())), ...mails],
    }),
  );
}

/** Reactivates the organization. Returns false if it is not deactivated. Can be repeated after an interruption. */
export async function reactivateOrganization(): Promise<boolean> {
  const { deactivatedAt } = await accessOrganization();
  if (deactivatedAt !== undefined)
    await transact([updateOrganization({ remove: ["deactivatedAt"] }), auditRecord("organization_reactivated", {})]);
  return (await syncDeactivationMarks()) > 0 || deactivatedAt !== undefined;
}

/** Updates the deactivation mark of every account to match the organization, and returns how many changed. */
export async function syncDeactivationMarks(): Promise<number> {
  const { deactivatedAt } = await accessOrganization();
  const users = await withConsistentReads(listUsers);
  let changedCount = 0;
  const syncNext = async () => {
    for (let user = users.pop(); user; user = users.pop())
      if (await setRealmDeactivated(user.email, deactivatedAt !== undefined)) changedCount++;
  };
  await Promise.all(Array.from({ length: maxConcurrentWrites }, syncNext));
  return changedCount;
}

async function mailsToOwners(name: string, ownerIds: ReadonlySet<number>): Promise<FollowUp[]> {
  if (!isMailEnabled()) return [];
  const owners = (await listUsers()).filter(({ id }) => ownerIds.has(id));
  const text = [
    `Your organization ${name} has been deactivated by an owner, so nobody can log in any more.`,
    "No data was deleted. The server's operator can reactivate the organization.",
  ].join("\n\n");
  return owners.map(({ email: to }) =>
    outboxJob(sendMailJob, {
      id: randomUUID(),
      to,
      subject: `Your organization ${name} has been deactivated`,
      text: `${text}\n`,
    }),
  );
}
