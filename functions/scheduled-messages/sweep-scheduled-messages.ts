import { recurring } from "../../shared/jobs/recurring.ts";
import { scheduledDeliveries } from "../../shared/scheduled-messages/actions.ts";

/** Makes up for whoever died between writing a scheduled message and making its schedule. */
export const handler = recurring(
  {
    work: "scheduled-message-sweeps",
    rate: "5 minutes",
    uses: { table: "read", schedules: ["deliveries"], sends: ["deliveries"] },
  },
  scheduledDeliveries.sweep,
);
