import { string } from "../../shared/base/schema/params.ts";
import { unsubscribeBrowser } from "../../shared/messaging/web-push/subscriptions.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/web_push/subscriptions",
    summary: "Ends a browser's subscription to the caller's push notifications.",
    note: "Also succeeds if there is no subscription.",
    caller: "human",
    params: { endpoint: string({ max: 2000 }) },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => unsubscribeBrowser({ userId: caller.id, endpoint: params.endpoint }),
);
