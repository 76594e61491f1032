import { endpoint } from "../../shared/http/endpoint.ts";
import { optional, string } from "../../shared/http/params.ts";
import { testTokens } from "../../shared/push/test-notifications.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/mobile_push/test_notification",
    summary: "Sends a test notification to the caller's devices that were registered by token.",
    caller: "human",
    params: { token: optional(string()) },
    returns: {},
    uses: { table: "read", pushBouncer: true },
  },
  async ({ caller, params }) => testTokens(caller.id, params.token),
);
