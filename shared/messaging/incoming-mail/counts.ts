import { createHash } from "node:crypto";
import { HopelessJob } from "../../services/jobs/worker.ts";
import type { Recipient } from "../../services/mail/addresses.ts";
import { addRequests } from "../../store/users/request-counts.ts";
import type { IncomingMail } from "./read-mime.ts";
import type { Verdict } from "./trust.ts";

const secondsPerHour = 3600;
/** How many mails an hour one address receives, and one author sends to all addresses together. */
const maxMailsPerAddress = 200;
const maxMailsPerAuthor = 100;

/** A mail beyond the hourly limits, of which nothing is kept. */
export class TooManyMails extends HopelessJob {}

export const hash = (parts: readonly string[]) => createHash("sha256").update(parts.join("\n")).digest("base64url");

export const keyOf = (recipient: Recipient) =>
  recipient.kind === "reply" ? [recipient.userId, recipient.messageId] : Object.values(recipient.address);

const countTo = (recipient: Recipient, by: number) => count(`to ${hash([JSON.stringify(keyOf(recipient))])}`, by);

const count = (name: string, by: number) =>
  addRequests({ name: `mails ${name}`, seconds: secondsPerHour }, Date.now() / 1000, by);

/** Adds `by` mails to those of this hour; throws TooManyMails if these are too many. */
export async function countMail(
  recipient: Recipient,
  { from }: Pick<IncomingMail, "from">,
  verdict: Verdict,
  by: number,
): Promise<void> {
  // Who forges an author's address must not use up that author's mails to other addresses.
  const place = verdict === "pass" ? [] : [JSON.stringify(keyOf(recipient))];
  const [toAddress, byAuthor] = await Promise.all([
    countTo(recipient, by),
    count(`from ${hash([from?.address ?? "", ...place])}`, by),
  ]);
  if (toAddress > maxMailsPerAddress) throw new TooManyMails(`More than ${maxMailsPerAddress} mails came in an hour`);
  if (byAuthor > maxMailsPerAuthor)
    throw new TooManyMails(`The author wrote more than ${maxMailsPerAuthor} mails in an hour`);
}

/** Whether another mail to this address would be too many. */
export const isFull = async (recipient: Recipient): Promise<boolean> =>
  (await countTo(recipient, 0)) >= maxMailsPerAddress;
