import { worker } from "../../shared/jobs/worker.ts";
import { expireChannel, expireDirectMessages } from "../../shared/messages/expiry.ts";
import { removeExpired } from "../../shared/messages/expiry-jobs.ts";

/** Removes expired messages with their indexes, pointers and what is kept beside them. */
export const handler = worker(
  {
    job: removeExpired,
    attempts: 5,
    timeoutSeconds: 180,
    batchSize: 1,
    concurrency: 2,
    uses: { table: "readWrite", sends: ["message-expiry", "message-leftovers"] },
  },
  async ({ channel_id }) => (channel_id === undefined ? expireDirectMessages() : expireChannel(channel_id)),
);
