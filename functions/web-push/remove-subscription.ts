import { endpoint } from "../../shared/http/endpoint.ts";
import { string } from "../../shared/schema/params.ts";
import { unsubscribeBrowser } from "../../shared/web-push/subscriptions.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/web_push/subscriptions",
    summary: "Ends a browser's subscription to the caller's push notifications.",
    note: "Succeeds if there is none, too.",
    caller: "human",
    params: { endpoint: string({ max: 2000 }) },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => unsubscribeBrowser({ userId: caller.id, endpoint: params.endpoint }),
);
