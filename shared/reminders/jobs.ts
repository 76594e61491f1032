import { jobKind } from "../jobs/queues.ts";
import { int } from "../schema/params.ts";

/** The job that delivers a reminder. EventBridge Scheduler enqueues it when the reminder is due. */
export const deliverReminderJob = jobKind("deliveries", "deliver-reminder", { user_id: int(), id: int() });
