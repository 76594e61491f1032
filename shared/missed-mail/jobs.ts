import { bool, int } from "../http/params.ts";
import { jobKind } from "../jobs/queues.ts";

/**
 * Notes a message for those who are to be told of it by e-mail, from the user after `after` on; `again` looks a second
 * time, at those who were there at the first.
 */
export const noteMissedJob = jobKind("mail", "missed-messages", { message_id: int(), after: int(), again: bool() });

/** Mails a user what waits for them, if it is due. */
export const sendMissedJob = jobKind("mail", "missed-mail", { user_id: int() });
