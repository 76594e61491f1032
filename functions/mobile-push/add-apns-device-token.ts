import { string, text } from "../../shared/base/schema/params.ts";
import { checkAppId, checkToken } from "../../shared/messaging/mobile-push/rules.ts";
import { addPushToken } from "../../shared/messaging/mobile-push/tokens.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/users/me/apns_device_token",
    summary: "Adds the APNs token of one of the caller's devices.",
    note: "The token is stored even if no push bouncer is configured.",
    caller: "human",
    params: { token: text(), appid: string() },
    returns: {},
    creates: "pushDevice",
    uses: { table: "readWrite", sends: ["outgoing"], pushBouncer: true },
  },
  async ({ caller, params }) => {
    checkToken(params.token, "apns");
    checkAppId(params.appid);
    await addPushToken({
      userId: caller.id,
      kind: "apns",
      token: params.token,
      appId: params.appid,
      keyHash: caller.keyHash ?? "",
    });
  },
);
