import { int, optional, string } from "../../base/schema/params.ts";
import { jobKind } from "../../services/jobs/queues.ts";

/**
 * The fields of jobs that mail a link. `base_url` is the server's public URL; `id` is the mail's ID. The mail depends on
 * whether the address has an account. A job looks that up, so that neither the reply nor its timing reveals it.
 */
const fields = { id: string(), email: string(), base_url: string() };

/** Mails a sign-up link, with or without an invitation. */
export const mailJoinLinkJob = jobKind("mail", "mail-join-link", { ...fields, invitation_id: optional(int()) });

export const mailResetLinkJob = jobKind("mail", "mail-reset-link", fields);
