import { string } from "../../shared/base/schema/params.ts";
import { applicationServerKey } from "../../shared/messaging/web-push/vapid.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/web_push/key",
    summary: "Returns the server's public key, with which a browser subscribes to Web Push notifications.",
    note: "The key is the `applicationServerKey` of `PushManager.subscribe` (RFC 8292). It changes when the operator replaces the fleet's secret; browsers must then subscribe again.",
    caller: "human",
    params: {},
    returns: { application_server_key: string() },
    uses: { table: "read", secret: true },
  },
  async () => ({ application_server_key: await applicationServerKey() }),
);
