import { recurring } from "../../shared/jobs/recurring.ts";
import { tellEndsOfWaitingPeriods } from "../../shared/user-groups/waiting-periods.ts";

/** Tells clients who has become a full member by the time that has passed. */
export const handler = recurring(
  {
    work: "waiting-period-sweeps",
    rate: "1 hour",
    uses: { table: "readWrite" },
  },
  tellEndsOfWaitingPeriods,
);
