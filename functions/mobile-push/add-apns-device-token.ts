import { endpoint } from "../../shared/http/endpoint.ts";
import { checkAppId, checkToken } from "../../shared/mobile-push/rules.ts";
import { addPushToken } from "../../shared/mobile-push/tokens.ts";
import { string, text } from "../../shared/schema/params.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/users/me/apns_device_token",
    summary: "Adds the APNs token of one of the caller's devices.",
    note: "The token is stored even where no push bouncer is configured.",
    caller: "human",
    params: { token: text(), appid: string() },
    returns: {},
    creates: "pushDevice",
    uses: { table: "readWrite", sends: ["outgoing"], pushBouncer: true },
  },
  async ({ caller, params }) => {
    checkToken(params.token, "apns");
    checkAppId(params.appid);
    await addPushToken({ userId: caller.id, kind: "apns", token: params.token, appId: params.appid });
  },
);
