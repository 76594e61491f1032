import { randomUUID } from "node:crypto";
import { isMailEnabled, serverUrl } from "../../base/environment.ts";
import { outboxJob } from "../../services/jobs/outbox.ts";
import { composeMail } from "../../services/mail/compose.ts";
import { sendMailJob } from "../../services/mail/jobs.ts";
import type { Realm } from "../../services/organization/access.ts";
import type { FollowUp } from "../../store/table/follow-ups.ts";
import type { User } from "../../store/users/users.ts";

/** The mail to a user's former address, so that they notice a change that they did not request. */
export const addressChangeEmail = (user: User, newAddress: string, realm: Realm): FollowUp | undefined =>
  mailJobFor(user, {
    subject: `The email address of your account on ${realm.name} has changed`,
    text: `${[
      `Hi ${user.fullName},`,
      `The email address of your account on ${realm.name} was changed from ${user.email} to ${newAddress}.`,
      "If you did not request this change, please contact your organization's administrators immediately.",
    ].join("\n\n")}\n`,
  });

/** The mail to somebody whose account can from now on be used by an identity provider, so that they notice if it was not them. */
export const accountLinkedEmail = (user: User, provider: string, realm: Realm): FollowUp | undefined =>
  mailJobFor(
    user,
    composeMail({
      subject: `You can now sign in to ${realm.name} with ${provider}`,
      paragraphs: [
        `Hi ${user.fullName},`,
        `Somebody signed in to ${realm.name} with ${provider}, which gives ${user.email} as their email address. They can use your account from now on.`,
        "If this was not you, please contact your organization's administrators immediately.",
      ],
    }),
  );

/** The mail about a user's deactivation, with the administrators' comment. See https://zulip.com/api/deactivate-user. */
export function deactivationEmail(user: User, realm: Realm, comment: string): FollowUp | undefined {
  const trimmedComment = comment.trim();
  const text = [
    `Hi ${user.fullName},`,
    `Your account on ${realm.name} has been deactivated, and you will no longer be able to log in.`,
    ...(trimmedComment === ""
      ? []
      : ["The administrators provided the following comment:", trimmedComment.replace(/^/gm, "> ")]),
  ].join("\n\n");
  return mailJobFor(user, {
    subject: `Notification of account deactivation on ${realm.name}`,
    text: `${text}\n`,
  });
}

/** The welcome mail to a new user, if the organization sends these. */
export const welcomeMail = (user: User, realm: Realm): FollowUp | undefined =>
  realm.settings.send_welcome_emails
    ? mailJobFor(
        user,
        composeMail({
          subject: `Welcome to ${realm.name}`,
          paragraphs: [
            `Hi ${user.fullName},`,
            `An account with the email address ${user.email} has been created for you on ${realm.name}.`,
            ...(serverUrl() === "" ? [] : [{ label: `Go to ${realm.name}`, url: `${serverUrl()}/` }]),
          ],
        }),
      )
    : undefined;

/** Undefined when the deployment sends no mail: no worker would consume the queue. */
const mailJobFor = (
  { email: to }: User,
  mail: { subject: string; text: string; html?: string },
): FollowUp | undefined => (isMailEnabled() ? outboxJob(sendMailJob, { id: randomUUID(), to, ...mail }) : undefined);
