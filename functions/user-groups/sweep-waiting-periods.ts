import { tellEndsOfWaitingPeriods } from "../../shared/core/user-groups/waiting-periods.ts";
import { recurring } from "../../shared/services/jobs/recurring.ts";

/** Tells clients who has become a full member by the time that has passed. */
export const handler = recurring(
  {
    work: "waiting-period-sweeps",
    rate: "1 hour",
    uses: { table: "readWrite" },
  },
  tellEndsOfWaitingPeriods,
);
