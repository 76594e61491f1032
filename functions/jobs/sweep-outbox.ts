import { startIndexIfBehind } from "../../shared/messaging/messages/search/catch-up.ts";
import { sweepOutbox } from "../../shared/services/jobs/outbox.ts";
import { recurring } from "../../shared/services/jobs/recurring.ts";

/**
 * Sends jobs from the outbox whose function died between its transaction and sending them, and has the search index built on if that
 * is behind.
 */
export const handler = recurring(
  {
    work: "outbox-sweeps",
    rate: "5 minutes",
    uses: { table: "readWrite", sendsToEveryQueue: true },
  },
  async () => {
    await sweepOutbox();
    await startIndexIfBehind();
  },
);
