import { optional, string } from "../../shared/base/schema/params.ts";
import { testTokens } from "../../shared/messaging/mobile-push/test-notifications.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/mobile_push/test_notification",
    summary: "Sends a test notification to the caller's devices that were registered by token, without encryption.",
    caller: "human",
    params: { token: optional(string()) },
    returns: {},
    errors: [
      "ADMIN_ACTION_REQUIRED",
      "FAILED_TO_CONNECT_BOUNCER",
      "INTERNAL_SERVER_ERROR_ON_BOUNCER",
      "INVALID_PUSH_DEVICE_TOKEN",
      "INVALID_REMOTE_PUSH_DEVICE_TOKEN",
      "PUSH_SERVICE_NOT_CONFIGURED",
    ],
    uses: { table: "read", pushBouncer: true },
  },
  async ({ caller, params }) => testTokens(caller.id, params.token),
);
