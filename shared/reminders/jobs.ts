import { int } from "../http/params.ts";
import { jobKind } from "../jobs/queues.ts";

/** Tells a user what they wanted to be reminded of; sent by EventBridge Scheduler at its time. */
export const deliverReminder = jobKind("deliveries", "reminders", { user_id: int(), id: int() });
