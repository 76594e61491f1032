import { optional, string, text, timestamp } from "../../base/schema/params.ts";
import { jobKind } from "../jobs/queues.ts";

/**
 * An e-mail to be sent once, however often the queue delivers its job; `id` identifies it. `html` is equivalent to `text`;
 * `settings_url` is the recipient's page for notification settings; `waiting_since` is the UNIX time in seconds when SES
 * first throttled it.
 */
export const sendMailJob = jobKind("mail", "send-mail", {
  id: string(),
  to: string(),
  subject: text(),
  text: text(),
  html: optional(text()),
  settings_url: optional(string()),
  waiting_since: optional(timestamp()),
});
