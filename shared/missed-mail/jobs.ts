import { jobKind } from "../jobs/queues.ts";
import { int, list, optional, text } from "../schema/params.ts";

/** Checks once more whether users who were online when messages of a conversation came have missed them. */
export const checkMissedAgainJob = jobKind("mail", "check-missed-again", {
  conversation: text(),
  channel_id: optional(int()),
  message_ids: list(int()),
  /** UNIX seconds at which the first message was sent. */
  sent_at: int(),
  user_ids: list(int()),
});

/** Mails a user's missed messages if they are due. */
export const sendMissedMailJob = jobKind("mail", "send-missed-mail", { user_id: int() });
