import { int } from "../http/params.ts";
import { jobKind } from "../jobs/queues.ts";

/** Delivers one version of a scheduled message; sent by EventBridge Scheduler at its time. */
export const deliverScheduledMessage = jobKind("deliveries", "scheduled-messages", {
  user_id: int(),
  id: int(),
  version: int(),
});
