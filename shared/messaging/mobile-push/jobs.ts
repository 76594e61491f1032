import { int, list, oneOf, string } from "../../base/schema/params.ts";
import { jobKind } from "../../services/jobs/queues.ts";

/** Sends a device's registration to the bouncer. */
export const registerPushDeviceJob = jobKind("outgoing", "register-push-device", {
  user_id: int(),
  push_account_id: int(),
});

/** Registers or unregisters a legacy token with the bouncer, according to the table when the job runs. */
export const syncPushTokenJob = jobKind("outgoing", "sync-push-token", {
  user_id: int(),
  kind: oneOf(["fcm", "apns"]),
  token: string(),
});

/** Sends a message's notifications to users with IDs above `after`. */
export const pushMessageJob = jobKind("outgoing", "push-message", { message_id: int(), after: int() });

export const removeNotificationsJob = jobKind("outgoing", "remove-notifications", {
  user_id: int(),
  message_ids: list(int()),
});
