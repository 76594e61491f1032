import { optional, string, text, timestamp } from "../http/params.ts";
import { jobKind } from "../jobs/queues.ts";

/**
 * A mail to be sent once, however often the queue hands it over: `id` tells mails apart. Where there is `html`, it says what
 * `text` does; `settings_url` is where the reader of a mail that nobody asked for says what they want to be mailed;
 * `waiting_since` is when SES first had no room for it, in UNIX seconds.
 */
export const sendMailJob = jobKind("mail", "mail", {
  id: string(),
  to: string(),
  subject: text(),
  text: text(),
  html: optional(text()),
  settings_url: optional(string()),
  waiting_since: optional(timestamp()),
});
