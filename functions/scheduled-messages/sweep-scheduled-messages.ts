import { recurring } from "../../shared/jobs/recurring.ts";
import { scheduledDeliveries } from "../../shared/scheduled-messages/actions.ts";

/** Creates schedules of messages whose request died between writing the message and creating its schedule. */
export const handler = recurring(
  {
    work: "scheduled-message-sweeps",
    rate: "5 minutes",
    uses: { table: "read", schedules: ["deliveries"], sends: ["deliveries"] },
  },
  scheduledDeliveries.sweep,
);
