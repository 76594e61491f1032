import { randomUUID } from "node:crypto";
import { badRequest, rateLimitHit } from "../../base/errors.ts";
import { linkLifetimeSeconds } from "../../base/limits.ts";
import { secondsPerDay } from "../../base/time.ts";
import { hashLinkToken, newLinkToken } from "../../services/identity/link-tokens.ts";
import { outboxJob } from "../../services/jobs/outbox.ts";
import { composeMail } from "../../services/mail/compose.ts";
import { countWithinMailLimit } from "../../services/mail/flood.ts";
import { sendMailJob } from "../../services/mail/jobs.ts";
import type { Realm } from "../../services/organization/access.ts";
import { transact } from "../../store/table/transactions.ts";
import { findAccount } from "../../store/users/accounts.ts";
import { createLinkToken } from "../../store/users/link-tokens.ts";
import { addRequests, secondsLeft } from "../../store/users/request-counts.ts";
import type { User } from "../../store/users/users.ts";

const changesPerDay = { limit: 10, seconds: secondsPerDay };

/**
 * Mails a confirmation link to the new address; opening it proves that the user owns the address. Throws a rate-limit error
 * after ten requests in a day, or too many e-mails to that address. Costs 10 write units.
 */
export async function requestEmailChange(user: User, newEmail: string, realm: Realm, baseUrl: string): Promise<void> {
  const [window, now] = [{ name: `address changes ${user.id}`, seconds: changesPerDay.seconds }, Date.now() / 1000];
  if (
    (await addRequests(window, now, 1)) > changesPerDay.limit ||
    !(await countWithinMailLimit("address change", newEmail))
  )
    throw rateLimitHit(secondsLeft(window, now));
  const account = await findAccount(user.email);
  if (!account) throw badRequest("No such user");
  const token = newLinkToken();
  const content = composeMail({
    subject: `Confirm your new email address for ${realm.name}`,
    paragraphs: [
      `Hi ${user.fullName},`,
      `You requested to change the email address of your account on ${realm.name} from ${user.email} to ${newEmail}.`,
      { label: "Confirm the new address", url: `${baseUrl}/confirm-email/${token}` },
      "The link is valid for one day and can be used once. If you did not request this, you can ignore this email.",
    ],
  });
  const mail = outboxJob(sendMailJob, { id: randomUUID(), to: newEmail, ...content });
  const write = createLinkToken({
    hash: hashLinkToken(token),
    grant: { kind: "email-change", userId: user.id, email: user.email, keyHash: account.keyHash, newEmail },
    expiresAt: Math.floor(now) + linkLifetimeSeconds,
  });
  await transact([write], { followUps: [mail] });
}
