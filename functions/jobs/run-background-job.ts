import { syncDeactivationMarksJob } from "../../shared/core/organization/deactivation-jobs.ts";
import { followMentionedJob } from "../../shared/core/user-topics/jobs.ts";
import {
  continueTopicDeletionJob,
  notifySubscribedJob,
  recheckTopicsPolicyJob,
} from "../../shared/features/channels/jobs.ts";
import { continueExportJob } from "../../shared/features/exports/jobs.ts";
import { stopMailsJob } from "../../shared/features/settings/jobs.ts";
import { eraseUserJob, finishAdmissionJob, syncSubscriptionsJob } from "../../shared/features/users/jobs.ts";
import {
  continueMessageMoveJob,
  deleteMessageDetailsJob,
  deleteSentMessagesJob,
  removeExpiredMessagesJob,
} from "../../shared/messaging/messages/edit/jobs.ts";
import { followMessagesJob, markMutedJob, markUnseenJob } from "../../shared/messaging/messages/flags/jobs.ts";
import { continueIndexJob } from "../../shared/messaging/messages/search/catch-up-job.ts";
import { handles, worker } from "../../shared/services/jobs/worker.ts";

/** Finishes the long-running work that a request began. Each kind imports its code on demand, which keeps cold starts short. */
export const handler = worker(
  {
    queue: "background-jobs",
    attempts: 10,
    // Keeps the attempts within the half hour after which the alarm for waiting jobs is raised.
    retryAfterSeconds: [10, 60, 180],
    timeoutSeconds: 300,
    batchSize: 1,
    uses: { table: "readWrite", files: "readWrite", sends: ["background-jobs"] },
  },
  handles(
    continueExportJob,
    async ({ export_id, step }, { isLast }) =>
      (await import("../../shared/features/exports/run.ts")).continueExport(export_id, step, isLast),
    [5, 30, 120, 240],
  ),
  handles(continueMessageMoveJob, async ({ move_id }) =>
    (await import("../../shared/messaging/messages/edit/continue-move.ts")).continueMessageMove(move_id),
  ),
  handles(continueTopicDeletionJob, async ({ deletion_id }) =>
    (await import("../../shared/features/channels/delete-topic.ts")).continueTopicDeletion(deletion_id),
  ),
  handles(deleteMessageDetailsJob, async ({ message_ids }) =>
    (await import("../../shared/messaging/messages/edit/deletion.ts")).deleteMessageDetails(message_ids),
  ),
  handles(deleteSentMessagesJob, async (job) =>
    (await import("../../shared/messaging/messages/edit/sender-deletion.ts")).deleteSentMessages(job),
  ),
  handles(removeExpiredMessagesJob, async ({ channel_id }) =>
    (await import("../../shared/messaging/messages/edit/expiry.ts")).removeExpiredMessages(channel_id),
  ),
  handles(continueIndexJob, async () =>
    (await import("../../shared/messaging/messages/search/catch-up.ts")).continueIndex(),
  ),
  handles(syncSubscriptionsJob, async ({ user_id }) =>
    (await import("../../shared/features/users/sync-subscriptions.ts")).syncSubscriptions(user_id),
  ),
  handles(eraseUserJob, async ({ user_id }) =>
    (await import("../../shared/features/users/erasure.ts")).eraseUser(user_id),
  ),
  handles(finishAdmissionJob, async (job) =>
    (await import("../../shared/features/users/finish-admission.ts")).finishAdmission(job),
  ),
  handles(syncDeactivationMarksJob, async () =>
    (await import("../../shared/core/organization/deactivation.ts")).syncDeactivationMarks(),
  ),
  handles(recheckTopicsPolicyJob, async ({ channel_id }) =>
    (await import("../../shared/features/channels/topics-policy.ts")).recheckTopicsPolicy(channel_id),
  ),
  handles(notifySubscribedJob, async (job) =>
    (await import("../../shared/features/subscriptions/notify-subscribed.ts")).notifySubscribed(job),
  ),
  handles(stopMailsJob, async (job) => (await import("../../shared/features/settings/stop-mails.ts")).stopMails(job)),
  handles(markUnseenJob, async (job) =>
    (await import("../../shared/messaging/messages/flags/mark-unseen.ts")).markUnseen(job),
  ),
  handles(markMutedJob, async (job) =>
    (await import("../../shared/messaging/messages/flags/mark-muted.ts")).markMuted(job),
  ),
  handles(followMessagesJob, async ({ message_ids }) =>
    (await import("../../shared/messaging/messages/flags/stars.ts")).followMessages(message_ids),
  ),
  handles(followMentionedJob, async ({ message_id, user_ids }) =>
    (await import("../../shared/core/user-topics/automatic.ts")).followMentioned(message_id, user_ids),
  ),
);
