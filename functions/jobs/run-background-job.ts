import {
  continueTopicDeletionJob,
  notifySubscribedJob,
  recheckTopicsPolicyJob,
} from "../../shared/channels/manage/jobs.ts";
import { continueExportJob } from "../../shared/exports/jobs.ts";
import { handles, worker } from "../../shared/jobs/worker.ts";
import { deleteDetailsJob } from "../../shared/messages/edit/deletion-jobs.ts";
import { removeExpiredMessagesJob } from "../../shared/messages/edit/expiry-jobs.ts";
import { continueMessageMoveJob } from "../../shared/messages/edit/move-jobs.ts";
import { lockAccountsJob } from "../../shared/organization/manage/deactivation-jobs.ts";
import { followMentionedJob } from "../../shared/user-topics/jobs.ts";
import { finishAdmissionJob, syncSubscriptionsJob } from "../../shared/users/manage/jobs.ts";

/** Keeps ten attempts within the half hour after which the alarm for waiting jobs is raised. */
const retryAfterSeconds = [10, 60, 180];

/** Finishes the long-running work that a request began. Each kind imports its code on demand, which keeps cold starts short. */
export const handler = worker(
  {
    queue: "background-jobs",
    attempts: 10,
    timeoutSeconds: 300,
    batchSize: 1,
    uses: { table: "readWrite", files: "readWrite", sends: ["background-jobs"] },
  },
  handles(
    continueExportJob,
    async ({ export_id, step }, { isLast }) => {
      const { runStepOrFail } = await import("../../shared/exports/run.ts");
      await runStepOrFail(export_id, step, isLast);
    },
    [5, 30, 120, 240],
  ),
  handles(
    continueMessageMoveJob,
    async ({ move_id }) => {
      const { resumeMove } = await import("../../shared/messages/edit/resume-move.ts");
      await resumeMove(move_id);
    },
    retryAfterSeconds,
  ),
  handles(
    continueTopicDeletionJob,
    async ({ deletion_id }) => {
      const { resumeTopicDeletion } = await import("../../shared/channels/manage/delete-topic.ts");
      await resumeTopicDeletion(deletion_id);
    },
    retryAfterSeconds,
  ),
  handles(
    deleteDetailsJob,
    async ({ message_ids }) => {
      const { deleteMessageDetails } = await import("../../shared/messages/edit/deletion.ts");
      await deleteMessageDetails(message_ids);
    },
    retryAfterSeconds,
  ),
  handles(
    removeExpiredMessagesJob,
    async ({ channel_id }) => {
      const { expireChannel, expireDirectMessages } = await import("../../shared/messages/edit/expiry.ts");
      await (channel_id === undefined ? expireDirectMessages() : expireChannel(channel_id));
    },
    retryAfterSeconds,
  ),
  handles(
    syncSubscriptionsJob,
    async ({ user_id }) => {
      const { syncSubscriptions } = await import("../../shared/users/manage/sync-subscriptions.ts");
      await syncSubscriptions(user_id);
    },
    retryAfterSeconds,
  ),
  handles(
    finishAdmissionJob,
    async (job) => {
      const { finishAdmission } = await import("../../shared/users/manage/finish-admission.ts");
      await finishAdmission(job);
    },
    retryAfterSeconds,
  ),
  handles(
    lockAccountsJob,
    async () => {
      const { syncDeactivationMarks } = await import("../../shared/organization/manage/deactivation.ts");
      await syncDeactivationMarks();
    },
    retryAfterSeconds,
  ),
  handles(
    recheckTopicsPolicyJob,
    async ({ channel_id }) => {
      const { recheckTopicsPolicy } = await import("../../shared/channels/manage/topics-policy.ts");
      await recheckTopicsPolicy(channel_id);
    },
    retryAfterSeconds,
  ),
  handles(
    notifySubscribedJob,
    async (job) => {
      const { notifySubscribed } = await import("../../shared/subscriptions/notify-subscribed.ts");
      await notifySubscribed(job);
    },
    retryAfterSeconds,
  ),
  handles(
    followMentionedJob,
    async ({ channel_id, topic, user_ids }) => {
      const { followWhereMentioned } = await import("../../shared/user-topics/automatic.ts");
      await followWhereMentioned(channel_id, topic, user_ids);
    },
    retryAfterSeconds,
  ),
);
