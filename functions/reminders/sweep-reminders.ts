import { recurring } from "../../shared/jobs/recurring.ts";
import { reminderDeliveries } from "../../shared/reminders/actions.ts";

/** Makes up for whoever died between writing a reminder and making its schedule. */
export const handler = recurring(
  {
    work: "reminder-sweeps",
    rate: "5 minutes",
    uses: { table: "read", schedules: ["deliveries"], sends: ["deliveries"] },
  },
  reminderDeliveries.sweep,
);
