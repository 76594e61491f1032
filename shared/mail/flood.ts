import { createHash } from "node:crypto";
import { addRequests } from "../store/users/request-counts.ts";

/** Limits account e-mails, which anyone can request, so that they cannot be used to flood a mailbox. */

const mailsPerDay = 5;
const secondsPerDay = 86_400;

/** Counts an e-mail to an address; false when it exceeds the daily limit. Costs 1 write unit. */
export async function countWithinMailLimit(address: string): Promise<boolean> {
  const name = createHash("sha256").update(address.toLowerCase()).digest("hex");
  return (await addRequests({ name: `mails ${name}`, seconds: secondsPerDay }, Date.now() / 1000, 1)) <= mailsPerDay;
}
