import { endpoint } from "../../shared/http/endpoint.ts";
import { int, optional } from "../../shared/http/params.ts";
import { testDevices } from "../../shared/push/test-notifications.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/mobile_push/e2ee/test_notification",
    summary: "Sends an end-to-end-encrypted test notification to the caller's devices.",
    caller: "human",
    params: { push_account_id: optional(int()) },
    returns: {},
    uses: { table: "readWrite", pushBouncer: true },
  },
  async ({ caller, params }) => testDevices(caller.id, params.push_account_id),
);
