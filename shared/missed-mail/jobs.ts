import { jobKind } from "../jobs/queues.ts";
import { bool, int } from "../schema/params.ts";

/**
 * Records a message for the users with IDs above `after` who get an e-mail about the message. `again` marks the second check,
 * for users who were online at the first.
 */
export const recordMissedMessageJob = jobKind("mail", "record-missed-message", {
  message_id: int(),
  after: int(),
  again: bool(),
});

/** Mails a user's pending messages if they are due. */
export const sendMissedMailJob = jobKind("mail", "send-missed-mail", { user_id: int() });
