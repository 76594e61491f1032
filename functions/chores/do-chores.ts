import { continueTopicDeletion, settleTopicsPolicyJob, tellSubscribedJob } from "../../shared/channels/jobs.ts";
import { continueExport } from "../../shared/exports/jobs.ts";
import { does, worker } from "../../shared/jobs/worker.ts";
import { removeExpired } from "../../shared/messages/expiry-jobs.ts";
import { removeMessageLeftovers } from "../../shared/messages/leftovers.ts";
import { continueMessageMove } from "../../shared/messages/move-jobs.ts";
import { settleSubscriptionsJob } from "../../shared/users/jobs.ts";

/** Ten tries take less than the half hour after which an operator is told that jobs wait. */
const soon = [10, 60, 180];

/** Finishes in its own time what a request began. Each kind loads what it needs, and nothing that another does. */
export const handler = worker(
  {
    queue: "chores",
    attempts: 10,
    timeoutSeconds: 300,
    batchSize: 1,
    uses: { table: "readWrite", files: "readWrite", sends: ["chores", "push-wakes"], pushBouncer: true },
  },
  does(
    continueExport,
    async ({ export_id, step }, { isLast }) => {
      const { takeStepOrGiveUp } = await import("../../shared/exports/run.ts");
      await takeStepOrGiveUp(export_id, step, isLast);
    },
    [5, 30, 120, 240],
  ),
  does(
    continueMessageMove,
    async ({ move_id }) => {
      const { resumeMove } = await import("../../shared/messages/resume-move.ts");
      await resumeMove(move_id);
    },
    soon,
  ),
  does(
    continueTopicDeletion,
    async ({ deletion_id }) => {
      const { finishTopicDeletion } = await import("../../shared/channels/delete-topic.ts");
      await finishTopicDeletion(deletion_id);
    },
    soon,
  ),
  does(
    removeMessageLeftovers,
    async ({ message_ids }) => {
      const { sweepLeftovers } = await import("../../shared/messages/deletion.ts");
      await sweepLeftovers(message_ids);
    },
    soon,
  ),
  does(
    removeExpired,
    async ({ channel_id }) => {
      const { expireChannel, expireDirectMessages } = await import("../../shared/messages/expiry.ts");
      await (channel_id === undefined ? expireDirectMessages() : expireChannel(channel_id));
    },
    soon,
  ),
  does(
    settleSubscriptionsJob,
    async ({ user_id }) => {
      const { settleSubscriptions } = await import("../../shared/users/settle.ts");
      await settleSubscriptions(user_id);
    },
    soon,
  ),
  does(
    settleTopicsPolicyJob,
    async ({ channel_id }) => {
      const { settleTopicsPolicy } = await import("../../shared/channels/topics-policy.ts");
      await settleTopicsPolicy(channel_id);
    },
    soon,
  ),
  does(
    tellSubscribedJob,
    async (job) => {
      const { tellSubscribed } = await import("../../shared/channels/tell.ts");
      await tellSubscribed(job);
    },
    soon,
  ),
);
