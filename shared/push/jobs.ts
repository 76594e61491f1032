import { int, list, oneOf, string } from "../http/params.ts";
import { jobKind } from "../jobs/queues.ts";

/** Hands a registration to the bouncer. */
export const registerPushDevice = jobKind("push", "push-registrations", { user_id: int(), push_account_id: int() });

/** Tells the bouncer whether a legacy token is registered, as the table has it when the job is done. */
export const syncPushToken = jobKind("push", "push-tokens", {
  user_id: int(),
  kind: oneOf(["fcm", "apns"]),
  token: string(),
});

/** Looks what is new in the log. */
export const followLogJob = jobKind("push-wakes", "push-wakes", {});

/** Tells the devices of those whom a message concerns, from the user after `after` on. */
export const pushMessageJob = jobKind("push", "push-messages", { message_id: int(), after: int() });

/** Takes notifications of messages from a user's devices. */
export const removeNotificationsJob = jobKind("push", "push-removals", { user_id: int(), message_ids: list(int()) });
