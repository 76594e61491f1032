import { endpoint } from "../../shared/http/endpoint.ts";
import { checkToken } from "../../shared/mobile-push/rules.ts";
import { removePushToken } from "../../shared/mobile-push/tokens.ts";
import { text } from "../../shared/schema/params.ts";

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
