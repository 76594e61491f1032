import { randomUUID } from "node:crypto";
import { isMailEnabled } from "../../base/environment.ts";
import type { Program } from "../../services/identity/device-names.ts";
import { outboxJob } from "../../services/jobs/outbox.ts";
import { composeMail } from "../../services/mail/compose.ts";
import { sendMailJob } from "../../services/mail/jobs.ts";
import type { Realm } from "../../services/organization/access.ts";
import type { FollowUp } from "../../store/table/follow-ups.ts";
import type { Account } from "../../store/users/accounts.ts";
import { findEffectiveSettings } from "./state.ts";

/** No mail is sent for a login within this time of the account's creation. */
const newAccountSeconds = 60;

interface Login {
  /** The identity provider's name; undefined: a password. */
  method?: string | undefined;
  /** Of an app password, `client` is its name. */
  program: Pick<Program, "client" | "system">;
  isAppPassword: boolean;
  sourceIp: string;
  /** The page on which the device is signed out. */
  endUrl: string;
}

/**
 * The mail to a user about a login on a new device, if they have enabled that, or in any case about a new app password, so that they
 * notice what other people do in their name. 0.5 read units for a login.
 */
export async function loginMail(
  account: Account,
  { method, program: { client, system }, isAppPassword, sourceIp, endUrl }: Login,
  realm: Realm,
): Promise<FollowUp | undefined> {
  const now = Date.now() / 1000;
  if (!isMailEnabled() || account.botType !== undefined) return undefined;
  if (!isAppPassword) {
    if (now - account.joinedAt <= newAccountSeconds) return undefined;
    if (!(await findEffectiveSettings(account.userId)).enable_login_emails) return undefined;
  }
  const when = `Time: ${new Date(now * 1000).toUTCString()}. Address: ${sourceIp}.`;
  const content = composeMail(
    isAppPassword
      ? {
          subject: `New app password for ${realm.name}`,
          paragraphs: [
            `Someone just created an app password for your account on ${realm.name}, with which a program has full access to it.`,
            `${when} Name: ${client}.`,
            "If this was you, you can ignore this email. If not, revoke it, change your password and create a new API key immediately.",
            { label: "Revoke that app password", url: endUrl },
          ],
        }
      : {
          subject: `New login to ${realm.name}`,
          paragraphs: [
            `Someone just logged in to your account on ${realm.name} with ${method === undefined ? "your password" : `your identity at ${method}`}.`,
            `${when} Client: ${client}${system === "" ? "" : ` (${system})`}.`,
            `If this was you, you can ignore this email. If not, sign that device out, change your password${method === undefined ? "" : ` at ${method}`} and create a new API key immediately.`,
            { label: "Sign out that device", url: endUrl },
          ],
        },
  );
  return outboxJob(sendMailJob, { id: randomUUID(), to: account.email, ...content });
}
