import { testFleet } from "../../shared/features/smoke/test-fleet.ts";
import { recurring } from "../../shared/services/jobs/recurring.ts";

/** Finds out that clients cannot reach the fleet, which no function's log shows. It has an alarm. */
export const handler = recurring(
  {
    work: "smoke-tests",
    rate: "5 minutes",
    timeoutSeconds: 120,
    serves: ["alarms"],
    countsFailures: true,
    uses: { table: "readWrite", wakeUpQueues: "test" },
  },
  testFleet,
);
