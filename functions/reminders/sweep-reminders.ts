import { worker } from "../../shared/jobs/worker.ts";
import { sweep } from "../../shared/reminders/delivery.ts";
import { sweepReminders } from "../../shared/reminders/jobs.ts";

/** Makes up for whoever died between writing a reminder and making its schedule. */
export const handler = worker(
  {
    job: sweepReminders,
    attempts: 3,
    recurring: { rate: "5 minutes", body: {} },
    uses: { table: "read", schedules: ["reminders"], sends: ["reminders"] },
  },
  sweep,
);
