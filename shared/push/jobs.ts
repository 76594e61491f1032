import { int, oneOf, string } from "../http/params.ts";
import { jobKind } from "../jobs/queues.ts";

/** Hands a registration to the bouncer. */
export const registerPushDevice = jobKind("push-registrations", { user_id: int(), push_account_id: int() });

/** Tells the bouncer whether a legacy token is registered, as the table has it when the job is done. */
export const syncPushToken = jobKind("push-tokens", {
  user_id: int(),
  kind: oneOf(["fcm", "apns"]),
  token: string(),
});
