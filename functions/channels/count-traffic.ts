import { countTraffic } from "../../shared/channels/count-traffic.ts";
import { recurring } from "../../shared/jobs/recurring.ts";

/** Counts messages by channel and day out of the log, so that sending one does not have to. */
export const handler = recurring(
  { work: "channel-traffic", rate: "1 hour", timeoutSeconds: 120, uses: { table: "readWrite" } },
  async () => countTraffic(Date.now() + 90_000),
);
