import { jobKind } from "../jobs/queues.ts";
import { int } from "../schema/params.ts";

/** Delivers a reminder; sent by EventBridge Scheduler. */
export const deliverReminderJob = jobKind("deliveries", "reminders", { user_id: int(), id: int() });
