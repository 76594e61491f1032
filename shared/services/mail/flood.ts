import { createHash } from "node:crypto";
import { creationLimits } from "../../base/creation-limits.ts";
import { secondsPerDay } from "../../base/time.ts";
import { addRequests } from "../../store/users/request-counts.ts";

/**
 * Limits account e-mails, which others than the recipient can request, so that they cannot be used to flood a mailbox. Each
 * purpose is counted separately: whoever may request one kind of mail cannot use up another kind's limit. Those who use up the
 * limit of one kind have filled the mailbox with working links of that kind, each of which is valid for a day.
 */
type MailPurpose =
  /** Anyone can request it. */
  | "sign-up"
  /** People who have an invitation link can request it. */
  | "sign-up by invitation link"
  /** Members who may invite people can request it. */
  | "invitation"
  /** Anyone can request it. */
  | "password reset"
  /** Administrators can request it. */
  | "password reset by administrator"
  /** People with an account can request it. */
  | "address change";

/** The maximum number of mails of one purpose to an address in a day. */
export const { perDay: maxMailsPerDay } = creationLimits.mailedLink;

/** Counts an e-mail to an address; false when it exceeds its purpose's daily limit. Costs 1 write unit. */
export async function countWithinMailLimit(purpose: MailPurpose, address: string): Promise<boolean> {
  const name = createHash("sha256").update(address.toLowerCase()).digest("hex");
  const window = { name: `mails ${purpose} ${name}`, seconds: secondsPerDay };
  return (await addRequests(window, Date.now() / 1000, 1)) <= maxMailsPerDay;
}
