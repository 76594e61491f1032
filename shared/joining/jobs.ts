import { jobKind } from "../jobs/queues.ts";
import { int, optional, string } from "../schema/params.ts";

/**
 * What is mailed to an address follows from whether it has an account, and is looked up in a job: the reply to the one who
 * asked says the same of every address, as fast. `base_url` is where links lead; `id` is the mail's.
 */
const fields = { id: string(), email: string(), base_url: string() };

/** A link to make an account with, by an invitation or without one. */
export const mailJoinLinkJob = jobKind("mail", "join-links", { ...fields, invitation_id: optional(int()) });

/** A link to choose a new password with. */
export const mailResetLinkJob = jobKind("mail", "reset-links", fields);
