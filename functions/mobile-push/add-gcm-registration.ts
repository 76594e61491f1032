import { endpoint } from "../../shared/http/endpoint.ts";
import { text } from "../../shared/http/params.ts";
import { checkToken } from "../../shared/push/rules.ts";
import { addPushToken } from "../../shared/push/tokens.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/users/me/android_gcm_reg_id",
    summary: "Adds the FCM token of one of the caller's devices.",
    caller: "human",
    params: { token: text() },
    returns: {},
    uses: { table: "readWrite", sends: ["push"], pushBouncer: true },
  },
  async ({ caller, params }) => {
    checkToken(params.token, "fcm");
    await addPushToken({ userId: caller.id, kind: "fcm", token: params.token });
  },
);
