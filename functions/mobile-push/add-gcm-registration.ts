import { text } from "../../shared/base/schema/params.ts";
import { checkToken } from "../../shared/messaging/mobile-push/rules.ts";
import { addPushToken } from "../../shared/messaging/mobile-push/tokens.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/users/me/android_gcm_reg_id",
    summary: "Adds the FCM token of one of the caller's devices.",
    note: "The token is stored even if no push bouncer is configured.",
    caller: "human",
    params: { token: text() },
    returns: {},
    creates: "pushDevice",
    uses: { table: "readWrite", sends: ["outgoing"], pushBouncer: true },
  },
  async ({ caller, params }) => {
    checkToken(params.token, "fcm");
    await addPushToken({ userId: caller.id, kind: "fcm", token: params.token, keyHash: caller.keyHash ?? "" });
  },
);
