import { int } from "../../base/schema/params.ts";
import { jobKind } from "../../services/jobs/queues.ts";

/** Delivers one version of a scheduled message; sent by EventBridge Scheduler. */
export const deliverScheduledMessageJob = jobKind("deliveries", "deliver-scheduled-message", {
  user_id: int(),
  id: int(),
  version: int(),
});
