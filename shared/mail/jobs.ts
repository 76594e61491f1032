import { string, text } from "../http/params.ts";
import { jobKind } from "../jobs/queues.ts";

/** A mail to be sent once, however often the queue hands it over: `id` tells mails apart. */
export const sendMailJob = jobKind("mail", "mail", { id: string(), to: string(), subject: text(), text: text() });
