import { jobKind } from "../jobs/queues.ts";
import { bool, int } from "../schema/params.ts";

/**
 * Records a message for users to be mailed about it, with IDs above `after`; `again` is the second check, for users who were
 * online at the first.
 */
export const recordMissedJob = jobKind("mail", "missed-messages", { message_id: int(), after: int(), again: bool() });

/** Mails a user's waiting messages, if they are due. */
export const sendMissedJob = jobKind("mail", "missed-mail", { user_id: int() });
