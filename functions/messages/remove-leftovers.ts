import { worker } from "../../shared/jobs/worker.ts";
import { sweepLeftovers } from "../../shared/messages/deletion.ts";
import { removeMessageLeftovers } from "../../shared/messages/leftovers.ts";

/** Removes what was kept beside deleted messages. */
export const handler = worker(
  { job: removeMessageLeftovers, attempts: 10, timeoutSeconds: 120, uses: { table: "readWrite" } },
  async ({ message_ids }) => sweepLeftovers(message_ids),
);
