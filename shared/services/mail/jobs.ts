import { optional, string, text, timestamp } from "../../base/schema/params.ts";
import { jobKind } from "../jobs/queues.ts";

/**
 * An e-mail to be sent once, however often the queue delivers its job; `id` identifies it. `html` is equivalent to `text`;
 * `reply_to` receives replies; `thread` is the same for all mails about one conversation, and `list_id` for all of one channel;
 * `unsubscribe_url` ends mails of this kind at a click; `waiting_since` is the UNIX time in seconds when SES first throttled it.
 */
export const sendMailJob = jobKind("mail", "send-mail", {
  id: string(),
  to: string(),
  subject: text(),
  text: text(),
  html: optional(text()),
  reply_to: optional(string()),
  thread: optional(string()),
  list_id: optional(string()),
  /** Of mails that an earlier version has enqueued. */
  settings_url: optional(string()),
  unsubscribe_url: optional(string()),
  waiting_since: optional(timestamp()),
});
