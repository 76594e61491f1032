import { bool, int, list, optional, string, text, type Values } from "../../base/schema/params.ts";
import { jobKind } from "../../services/jobs/queues.ts";

/** Ends or resumes a user's subscriptions after deactivation or reactivation. Idempotent. */
export const syncSubscriptionsJob = jobKind("background-jobs", "sync-subscriptions", { user_id: int() });

/** As in Zulip, everybody whose profile was deleted has the same name. */
export const nameWithoutProfile = "Deleted user";

/** Removes what says who the owner of a deactivated account was. Idempotent. */
export const eraseUserJob = jobKind("background-jobs", "erase-user", { user_id: int() });

/**
 * Completes a new account: channels, groups, Welcome Bot's message, and notices to others. `id` identifies the admission, so
 * that a repeated job sends no message twice.
 */
export const finishAdmissionJob = jobKind("background-jobs", "finish-admission", {
  id: string(),
  user_id: int(),
  channel_ids: list(int()),
  with_defaults: bool(),
  group_ids: list(int()),
  welcome_text: optional(text()),
  /** The user to notify that their invitation was accepted. */
  told_id: optional(int()),
});
export type FinishAdmission = Values<typeof finishAdmissionJob.body>;
