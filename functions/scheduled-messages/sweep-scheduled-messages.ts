import { scheduledDeliveries } from "../../shared/messaging/scheduled-messages/actions.ts";
import { recurring } from "../../shared/services/jobs/recurring.ts";

/** Creates schedules of messages whose request died between writing the message and creating its schedule. */
export const handler = recurring(
  {
    work: "scheduled-message-sweeps",
    rate: "5 minutes",
    uses: { table: "read", schedules: ["deliveries"], sends: ["deliveries"] },
  },
  scheduledDeliveries.sweep,
);
