import { int } from "../../base/schema/params.ts";
import { jobKind } from "../../services/jobs/queues.ts";

/** The job that delivers a reminder. EventBridge Scheduler enqueues it when the reminder is due. */
export const deliverReminderJob = jobKind("deliveries", "deliver-reminder", { user_id: int(), id: int() });
