import { int, optional } from "../../shared/base/schema/params.ts";
import { testDevices } from "../../shared/messaging/mobile-push/test-notifications.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/mobile_push/e2ee/test_notification",
    summary: "Sends an end-to-end-encrypted test notification to the caller's devices.",
    note: "Returns `NO_ACTIVE_PUSH_DEVICE` if the bouncer no longer knows any of the caller's devices.",
    caller: "human",
    params: { push_account_id: optional(int()) },
    returns: {},
    errors: [
      "ADMIN_ACTION_REQUIRED",
      "FAILED_TO_CONNECT_BOUNCER",
      "INTERNAL_SERVER_ERROR_ON_BOUNCER",
      "INVALID_REMOTE_PUSH_DEVICE_TOKEN",
      "NO_ACTIVE_PUSH_DEVICE",
      "PUSH_SERVICE_NOT_CONFIGURED",
    ],
    uses: { table: "readWrite", pushBouncer: true },
  },
  async ({ caller, params }) => testDevices(caller.id, params.push_account_id),
);
