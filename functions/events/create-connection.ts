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
    summary: "Returns the address at which a WebSocket receives a queue's events, instead of polling for them.",
    note: [
      "The address is valid once, for 30 seconds, and from a page only for the page's origin.",
      'Send `{"type": "acknowledge", "queue_id": ..., "last_event_id": ...}` as text when the WebSocket is open and every few minutes: API Gateway closes a connection after ten minutes without a message, and after two hours in any case, and the queue expires when it is not acknowledged for its `lifespan_secs`. `{"type": "error", "code": ..., "msg": ...}` answers a message that was refused; after `UNAUTHORIZED`, `BAD_EVENT_QUEUE_ID` and `RATE_LIMIT_HIT` the server closes the connection.',
      'After `{"type": "look", "through": ...}`, which comes instead of events that take more than 32 KB, call `GET /events` with `dont_block=true` until it returns an event with the ID `through` or a higher one, or none.',
      "A report of presence (`active` or `idle`) holds until the next one comes, four minutes later; report at once when the user returns. Somebody who is gone without a word is offline after 380 s. With `presence_last_update_id` the answer also has `presences` in the modern format, `presence_last_update_id` and `server_timestamp`; presences of more than 16 KB are left out, and `POST /users/me/presence` returns them. Their times may be up to 180 s ahead. Typing is reported by `POST /typing`.",
      "A queue has one connection: a newer one ends the older, and so does a poll without `dont_block`. The server ends a connection when the queue is deleted, when the account is deactivated, or when the API key is replaced with which the `url` was requested. A presence event does not cause a message, but comes with the next one. Messages count against the account's limit of polls. A connection that exceeds it, or sends more than 20 messages in ten seconds, is ended after `RATE_LIMIT_HIT`.",
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
