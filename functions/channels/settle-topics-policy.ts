import { settleTopicsPolicyJob } from "../../shared/channels/jobs.ts";
import { settleTopicsPolicy } from "../../shared/channels/topics-policy.ts";
import { worker } from "../../shared/jobs/worker.ts";

/** Looks again at a channel that was restricted to the empty topic while messages were on their way. */
export const handler = worker(
  { job: settleTopicsPolicyJob, attempts: 5, uses: { table: "readWrite" } },
  ({ channel_id }) => settleTopicsPolicy(channel_id),
);
