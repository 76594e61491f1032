import { answerAcknowledgement } from "../../shared/features/events/connections/connections.ts";
import { connectionRoute } from "../../shared/services/connections/connection-route.ts";
import { checkMessageRate, dropMessages } from "../../shared/services/connections/message-rate.ts";
import { readMessage } from "../../shared/services/connections/messages.ts";
import { endConnection, postToConnection } from "../../shared/services/connections/post.ts";
import { limitAccount } from "../../shared/services/http/rate-limit.ts";

/** The errors after which a connection is of no use: its client polls, registers again, or waits. */
const finalCodes = new Set(["UNAUTHORIZED", "REALM_DEACTIVATED", "BAD_EVENT_QUEUE_ID", "RATE_LIMIT_HIT"]);

export const handler = connectionRoute(
  {
    route: "$default",
    summary:
      "Saves what a connected client has received and whether its user is present, and posts the events that it lacks.",
    uses: { table: "readWrite", countsRequests: true, secret: true, connections: "manage" },
  },
  async ({ connectionId, body }) => {
    if (!checkMessageRate(connectionId)) return undefined;
    const acknowledgement = readMessage(body);
    return answerAcknowledgement(connectionId, acknowledgement, (userId) => limitAccount({}, userId, "events"));
  },
  async ({ connectionId }, { code, message, extra }) => {
    const isFinal = finalCodes.has(code);
    // First, so that messages that are handled meanwhile cause no further calls.
    if (isFinal) dropMessages(connectionId);
    await postToConnection(connectionId, { type: "error", code, msg: message, ...extra });
    if (isFinal) await endConnection(connectionId);
  },
);
