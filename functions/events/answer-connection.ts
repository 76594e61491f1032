import { connectionRoute } from "../../shared/connections/connection-route.ts";
import { readMessage } from "../../shared/connections/messages.ts";
import { endConnection, postToConnection } from "../../shared/connections/post.ts";
import { answerAcknowledgement } from "../../shared/events/connections/connections.ts";
import { limitAccount } from "../../shared/http/rate-limit.ts";

/** The errors after which a connection is of no use: its client polls, or registers again. */
const finalCodes = new Set(["UNAUTHORIZED", "REALM_DEACTIVATED", "BAD_EVENT_QUEUE_ID"]);

export const handler = connectionRoute(
  {
    route: "$default",
    summary: "Saves what a connected client has received and whether its user is there, and posts what it lacks.",
    uses: { table: "readWrite", countsRequests: true, secret: true, connections: "manage" },
  },
  async ({ connectionId, body }) => {
    const acknowledgement = readMessage(body);
    return answerAcknowledgement(connectionId, acknowledgement, (userId) => limitAccount({}, userId, "events"));
  },
  async ({ connectionId }, { code, message, extra }) => {
    await postToConnection(connectionId, { type: "error", code, msg: message, ...extra });
    if (finalCodes.has(code)) await endConnection(connectionId);
  },
);
