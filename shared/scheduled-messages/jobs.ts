import { jobKind } from "../jobs/queues.ts";
import { int } from "../schema/params.ts";

/** Delivers one version of a scheduled message; sent by EventBridge Scheduler. */
export const deliverScheduledMessageJob = jobKind("deliveries", "deliver-scheduled-message", {
  user_id: int(),
  id: int(),
  version: int(),
});
