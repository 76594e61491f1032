import { bool, list, oneOf, optional, string, timestamp } from "../../base/schema/params.ts";
import { jobKind } from "../../services/jobs/queues.ts";

/** The folder of the bucket with the mails that have arrived. */
export const incomingMailFolder = "incoming-mail/";

/** How a server finds out whether a mail is from the domain that it names. */
export const authenticationMethods = ["dmarc", "dkim", "spf"] as const;

/**
 * A mail that has arrived: the file with its bytes, the recipients and the sender of its envelope, and the UNIX time. `unchecked`: some
 * recipients may be no addresses of the fleet, because nobody could refuse them when the mail arrived. `passed`: what the mail passed, if whoever received it says so beside the mail.
 */
export const receiveMailJob = jobKind("incoming-mail", "receive-mail", {
  file: string(),
  to: list(string()),
  from: string(),
  received_at: timestamp(),
  unchecked: optional(bool()),
  passed: optional(list(oneOf(authenticationMethods))),
});
