import { reminderDeliveries } from "../../shared/messaging/reminders/reminders.ts";
import { recurring } from "../../shared/services/jobs/recurring.ts";

/** Creates schedules of reminders whose request died between writing the reminder and creating its schedule. */
export const handler = recurring(
  {
    work: "reminder-sweeps",
    rate: "5 minutes",
    uses: { table: "read", schedules: ["deliveries"], sends: ["deliveries"] },
  },
  reminderDeliveries.sweep,
);
