import { bool, list, optional, string, timestamp } from "../../base/schema/params.ts";
import { jobKind } from "../../services/jobs/queues.ts";

/** The folder of the bucket with the mails that have arrived. */
export const incomingMailFolder = "incoming-mail/";

/**
 * A mail that has arrived: the file with its bytes, the recipients and the sender of its envelope, and the UNIX time. `unchecked`: some
 * recipients may be no addresses of the fleet, because nobody could refuse them when the mail arrived.
 */
export const receiveMailJob = jobKind("incoming-mail", "receive-mail", {
  file: string(),
  to: list(string()),
  from: string(),
  received_at: timestamp(),
  unchecked: optional(bool()),
});
