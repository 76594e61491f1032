import { randomUUID } from "node:crypto";
import { isMailEnabled } from "../../base/environment.ts";
import { badRequest } from "../../base/errors.ts";
import { linkLifetimeSeconds } from "../../base/limits.ts";
import type { Values } from "../../base/schema/params.ts";
import { nowSeconds } from "../../base/time.ts";
import { hashLinkToken, newLinkToken } from "../../services/identity/link-tokens.ts";
import { outboxJob } from "../../services/jobs/outbox.ts";
import { composeMail, type MailContent } from "../../services/mail/compose.ts";
import { countWithinMailLimit, maxMailsPerDay } from "../../services/mail/flood.ts";
import { sendMailJob } from "../../services/mail/jobs.ts";
import { loadRealm, type Realm } from "../../services/organization/access.ts";
import { transact } from "../../store/table/transactions.ts";
import type { Write } from "../../store/table/writes.ts";
import { type Account, findAccount } from "../../store/users/accounts.ts";
import { createLinkToken, type Grant } from "../../store/users/link-tokens.ts";
import { findUsers, type User } from "../../store/users/users.ts";
import { joinLink } from "../invites/links.ts";
import type { mailJoinLinkJob, mailResetLinkJob } from "./jobs.ts";

/** E-mails with links. Addresses with an account get a different e-mail. A repeated job sends only one e-mail. */

/** Mails a sign-up link. If the address has an account, the e-mail says so: only its owner learns that. */
export async function mailJoinLink(job: Values<typeof mailJoinLinkJob.body>): Promise<void> {
  const { id, email, base_url: url, invitation_id: invitationId } = job;
  const purpose = invitationId === undefined ? "sign-up" : "sign-up by invitation link";
  if (!(await countWithinMailLimit(purpose, email))) return;
  const [realm, account] = await Promise.all([loadRealm(), findAccount(email)]);
  if (account) {
    const explanation = `Someone, perhaps you, tried to sign up for ${realm.name} with this address, which already has an account there.`;
    const links = [
      { label: "Sign in", url: `${url}/` },
      { label: "Choose a new password", url: `${url}/password-reset` },
    ];
    return mail(id, email, {
      subject: `You already have an account on ${realm.name}`,
      paragraphs: ["Hi,", explanation, ...links],
    });
  }
  const { token, write } = newTokenFor({ kind: "join", email, invitationId });
  await mail(
    id,
    email,
    {
      subject: `Join ${realm.name}`,
      paragraphs: [
        "Hi,",
        `You asked to join ${realm.name} with this address. Follow the link to choose your name and a password.`,
        { label: `Join ${realm.name}`, url: joinLink(token, url) },
        linkNotice,
      ],
    },
    write,
  );
}

const linkNotice =
  "The link is valid for one day and can be used once. If you did not request this, you can ignore this email.";

export async function mailResetLink({ id, email, base_url }: Values<typeof mailResetLinkJob.body>): Promise<void> {
  const account = await findAccount(email);
  if (!account?.active || account.botType !== undefined || !(await countWithinMailLimit("password reset", email)))
    return;
  const [realm, [user]] = await Promise.all([loadRealm(), findUsers([account.userId])]);
  if (!user || user.isSystemBot) return;
  await mailReset(id, account, user, realm, base_url);
}

/**
 * Mails a user a password reset link for an administrator, who gets an error if no mail is sent; returns the link if the server
 * sends no mail at all.
 */
export async function mailOrReturnResetLink(
  user: Pick<User, "email" | "fullName">,
  baseUrl: string,
): Promise<{ reset_link?: string }> {
  const [realm, account] = await Promise.all([loadRealm(), findAccount(user.email)]);
  if (!account?.active) throw badRequest("No such user");
  if (!isMailEnabled()) {
    const { token, write } = resetLinkFor(account);
    await transact([write]);
    return { reset_link: resetLink(token, baseUrl) };
  }
  if (!(await countWithinMailLimit("password reset by administrator", account.email)))
    throw badRequest(
      `No email was sent: administrators have sent this user ${maxMailsPerDay} password reset links today, which is the limit.`,
    );
  await mailReset(randomUUID(), account, user, realm, baseUrl);
  return {};
}

async function mailReset(
  id: string,
  account: Account,
  { fullName }: Pick<User, "fullName">,
  realm: Realm,
  baseUrl: string,
): Promise<void> {
  const { token, write } = resetLinkFor(account);
  const content: MailContent = {
    subject: `Choose a new password for ${realm.name}`,
    paragraphs: [
      `Hi ${fullName},`,
      `Someone, perhaps you, requested a new password for your account on ${realm.name}.`,
      { label: "Choose a new password", url: resetLink(token, baseUrl) },
      linkNotice,
    ],
  };
  await mail(id, account.email, content, write);
}

const resetLink = (token: string, baseUrl: string) => `${baseUrl}/password-reset/${token}`;

/** A hash that identifies the current password, so that a reset link becomes invalid when the password changes. */
export const passwordMarkOf = ({ passwordHash = "" }: Pick<Account, "passwordHash">) => hashLinkToken(passwordHash);

/** A reset link is valid only while the account's address, password and API key stay the same. */
export const resetLinkFor = (account: Account) =>
  newTokenFor({
    kind: "password-reset",
    userId: account.userId,
    email: account.email,
    keyHash: account.keyHash,
    passwordMark: passwordMarkOf(account),
  });

function newTokenFor(grant: Grant): { token: string; write: Write } {
  const token = newLinkToken();
  const expiresAt = nowSeconds() + linkLifetimeSeconds;
  return { token, write: createLinkToken({ hash: hashLinkToken(token), grant, expiresAt }) };
}

async function mail(id: string, to: string, content: MailContent, ...writes: Write[]): Promise<void> {
  const job = outboxJob(sendMailJob, { id, to, ...composeMail(content) });
  await transact(writes, { followUps: [job] });
}
