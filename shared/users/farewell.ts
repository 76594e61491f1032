import { randomUUID } from "node:crypto";
import { type OutboxJob, outboxJob } from "../jobs/outbox.ts";
import { sendMailJob } from "../mail/jobs.ts";
import type { Realm } from "../organization/access.ts";
import { mailIsSent } from "../settings.ts";
import type { User } from "../store/users.ts";

/** The mail to a former address that tells of the new one: whoever did not ask for it learns of it there. */
export const addressChange = (user: User, newAddress: string, realm: Realm): OutboxJob | undefined =>
  mailTo(user, {
    subject: `The email address of your account on ${realm.name} has changed`,
    text: `${[
      `Hi ${user.fullName},`,
      `The email address of your account on ${realm.name} was changed from ${user.email} to ${newAddress}.`,
      "If you did not ask for this, please tell your organization's administrators at once.",
    ].join("\n\n")}\n`,
  });

/** The mail that tells someone of their deactivation, with the administrators' words if there are any (4.14). */
export function farewell(user: User, realm: Realm, comment: string): OutboxJob | undefined {
  const words = comment.trim();
  const text = [
    `Hi ${user.fullName},`,
    `Your account on ${realm.name} has been deactivated, and you will no longer be able to log in.`,
    ...(words === "" ? [] : ["The administrators provided the following comment:", words.replace(/^/gm, "> ")]),
  ].join("\n\n");
  return mailTo(user, {
    subject: `Notification of account deactivation on ${realm.name}`,
    text: `${text}\n`,
  });
}

/** Undefined where the fleet sends no mail: nobody would take the job out of its queue. */
const mailTo = ({ email: to }: User, mail: { subject: string; text: string }): OutboxJob | undefined =>
  mailIsSent() ? outboxJob(sendMailJob, { id: randomUUID(), to, ...mail }) : undefined;
