import { connectionsPath } from "../../shared/connections/connection-route.ts";
import { connectionsUrl } from "../../shared/environment.ts";
import { issueTicket } from "../../shared/events/connections/connections.ts";
import { accessQueue } from "../../shared/events/queue.ts";
import { credentialsOf } from "../../shared/http/authenticate.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { hashApiKey } from "../../shared/identity/api-keys.ts";
import { string } from "../../shared/schema/params.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/events/connection",
    summary: "Returns the address at which a WebSocket receives a queue's events, instead of polling for them.",
    note: "The address is valid once, for 30 seconds, and from a page only for the page's origin. See the introduction.",
    caller: "user",
    params: { queue_id: string({ max: 100 }) },
    returns: { url: string() },
    errors: ["BAD_EVENT_QUEUE_ID"],
    uses: { table: "readWrite", connections: "address" },
  },
  async ({ caller, params, request }) => {
    const queue = await accessQueue(caller, params.queue_id);
    // The key that has just been checked: if it is replaced now, the connection ends with its first message.
    const keyHash = hashApiKey(credentialsOf(request.headers.authorization).apiKey);
    const ticket = await issueTicket({ email: caller.email, keyHash }, queue, request.headers.origin);
    const address = connectionsUrl() ?? `${request.baseUrl.replace(/^http/, "ws")}${connectionsPath}`;
    return { url: `${address}?ticket=${ticket}` };
  },
);
