import { bool, int, list, optional } from "../../../base/schema/params.ts";
import { jobKind } from "../../../services/jobs/queues.ts";

/** Deletes previous contents, submessages and stars of deleted messages. */
export const deleteMessageDetailsJob = jobKind("background-jobs", "delete-message-details", {
  message_ids: list(int()),
});

/** Deletes a channel's expired messages; without a channel ID, expired direct messages. */
export const removeExpiredMessagesJob = jobKind("background-jobs", "remove-expired-messages", {
  channel_id: optional(int()),
});

/** Continues a move of many messages that its request could not finish in time. */
export const continueMessageMoveJob = jobKind("background-jobs", "continue-message-move", { move_id: int() });

/** Deletes what a deactivated user has sent, from the message `from` on, in the conversations of these kinds. Idempotent. */
export const deleteSentMessagesJob = jobKind("background-jobs", "delete-sent-messages", {
  user_id: int(),
  public_channels: bool(),
  private_channels: bool(),
  direct_messages: bool(),
  from: int(),
  /** The newest message at the time of the deactivation. Later ones are deleted only while the account is deactivated. */
  through: int(),
});
