import { int, list, optional, text } from "../../base/schema/params.ts";
import { jobKind } from "../../services/jobs/queues.ts";

/** Checks once more whether users who were online when messages of a conversation came have missed them. */
export const checkMissedAgainJob = jobKind("mail", "check-missed-again", {
  conversation: text(),
  channel_id: optional(int()),
  message_ids: list(int()),
  /** UNIX seconds at which the first message was sent. */
  sent_at: int(),
  user_ids: list(int()),
});

/** Mails the missed messages of some users, if they are due. */
export const sendMissedMailsJob = jobKind("mail", "send-missed-mails", { user_ids: list(int()) });
