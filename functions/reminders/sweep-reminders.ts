import { recurring } from "../../shared/jobs/recurring.ts";
import { reminderDeliveries } from "../../shared/reminders/reminders.ts";

/** Creates schedules of reminders whose request died between writing the reminder and creating its schedule. */
export const handler = recurring(
  {
    work: "reminder-sweeps",
    rate: "5 minutes",
    uses: { table: "read", schedules: ["deliveries"], sends: ["deliveries"] },
  },
  reminderDeliveries.sweep,
);
