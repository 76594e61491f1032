import { text } from "../../shared/base/schema/params.ts";
import { checkToken } from "../../shared/messaging/mobile-push/rules.ts";
import { removePushToken } from "../../shared/messaging/mobile-push/tokens.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/users/me/android_gcm_reg_id",
    summary: "Removes the FCM token of one of the caller's devices.",
    caller: "human",
    params: { token: text() },
    returns: {},
    uses: { table: "readWrite", sends: ["outgoing"], pushBouncer: true },
  },
  async ({ caller, params }) => {
    checkToken(params.token, "fcm");
    await removePushToken({ userId: caller.id, kind: "fcm", token: params.token });
  },
);
