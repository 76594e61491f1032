import { connectionsUrl } from "../../shared/base/environment.ts";
import { string } from "../../shared/base/schema/params.ts";
import { issueTicket } from "../../shared/features/events/connections/connections.ts";
import { accessQueue } from "../../shared/features/events/queue.ts";
import { connectionsPath } from "../../shared/services/connections/connection-route.ts";
import { credentialsOf } from "../../shared/services/http/authenticate.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { hashApiKey } from "../../shared/services/identity/api-keys.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/events/connection",
    summary: "Returns the address of a WebSocket that delivers a queue's events, so that the client need not poll.",
    note: [
      "The address can be used once, within 30 seconds; if a page requested it, only from that page's origin.",
      'Send `{"type": "acknowledge", "queue_id": ..., "last_event_id": ...}` as text when the WebSocket opens and every few minutes after that. API Gateway closes a connection after ten minutes without a message, and after two hours in any case; the queue expires when it is not acknowledged for its `lifespan_secs`. `{"type": "error", "code": ..., "msg": ...}` answers a message that was refused; after `UNAUTHORIZED`, `REALM_DEACTIVATED`, `BAD_EVENT_QUEUE_ID` and `RATE_LIMIT_HIT` the server closes the connection.',
      'Events that take more than 32 KB are replaced by `{"type": "look", "through": ...}`. Then call `GET /events` with `dont_block=true` until it returns an event with the ID `through` or a higher one, or no events.',
      "A presence report (`active` or `idle`) stays valid until the next one, four minutes later; report at once when the user returns. A user whose reports stop is offline after 380 s. With `presence_last_update_id`, the answer also has `presences` in the modern format, `presence_last_update_id` and `server_timestamp`. Presences of more than 16 KB are left out; `POST /users/me/presence` returns them. Their times may be up to 180 s ahead. Report typing by `POST /typing`.",
      "A queue has one connection: a newer one ends the older one, and so does a poll without `dont_block`. The server ends a connection when the queue is deleted, when the account is deactivated, or when the API key with which the `url` was requested is replaced. A presence event does not cause a message; it comes with the next one. Messages count against the account's limit of polls. A connection that exceeds this limit, or sends more than 20 messages in ten seconds, gets `RATE_LIMIT_HIT` and is ended.",
    ],
    caller: "user",
    params: { queue_id: string({ max: 100 }) },
    returns: { url: string() },
    errors: ["BAD_EVENT_QUEUE_ID"],
    creates: "connection",
    uses: { table: "readWrite", secret: true, connections: "address" },
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
