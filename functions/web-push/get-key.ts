import { string } from "../../shared/base/schema/params.ts";
import { applicationServerKey } from "../../shared/messaging/web-push/vapid.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/web_push/key",
    summary: "Returns the server's public key, with which a browser subscribes to notifications by Web Push.",
    note: "`applicationServerKey` of `PushManager.subscribe` (RFC 8292). It is another one after the operator has replaced the fleet's secret; then a browser must subscribe again.",
    caller: "human",
    params: {},
    returns: { application_server_key: string() },
    uses: { table: "read", secret: true },
  },
  async () => ({ application_server_key: await applicationServerKey() }),
);
