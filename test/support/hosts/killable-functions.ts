import { handler as answerConnection } from "../../../functions/events/answer-connection.ts";
import { handler as createConnection } from "../../../functions/events/create-connection.ts";
import { handler as getEvents } from "../../../functions/events/get-events.ts";
import { handler as lookForEvents } from "../../../functions/events/look-for-events.ts";
import { handler as notifyWaiters } from "../../../functions/events/notify-waiters.ts";
import { handler as openConnection } from "../../../functions/events/open-connection.ts";
import { handler as deliverDue } from "../../../functions/jobs/deliver-due.ts";
import { handler as sendMessage } from "../../../functions/messages/send-message.ts";
import { handler as unknownRoute } from "../../../functions/server/unknown-route.ts";
import type { EndpointMember, FallbackMember } from "../../../infra/fleet.ts";
import { startGateway } from "../../../infra/local/gateway.ts";
import { wakeUpIntegration } from "../../../infra/local/wake-up-integration.ts";
import "../table/process-table.ts";
import { callAws } from "./aws-calls.ts";

/**
 * A program that serves the functions for sending, polling and connecting, and the gateway's wake-up routes, with the table and
 * queues of a host in another process. The other functions are called by IPC messages `{ number, name, event }`, and answered by
 * `{ number, result }`.
 */

const endpoints = {
  "create-connection": createConnection,
  "get-events": getEvents,
  "look-for-events": lookForEvents,
  "send-message": sendMessage,
};
const members = Object.entries(endpoints).map(
  ([name, handler]) => ({ name, kind: handler.kind, spec: handler.spec, handler }) as unknown as EndpointMember,
);
const fallback = { name: "unknown-route", spec: unknownRoute.spec, handler: unknownRoute } as unknown as FallbackMember;

const { WAKE_UP_QUEUES_URL: wakeUpQueuesUrl } = process.env;
const wakeUps =
  wakeUpQueuesUrl === undefined
    ? undefined
    : wakeUpIntegration(wakeUpQueuesUrl, (input, disconnected) =>
        callAws(process.env, "SQSClient", "ReceiveMessageCommand", { ...input }, disconnected),
      );
const server = await startGateway(members, fallback, 0, { wakeUps });
const callable: Record<string, (event: never) => Promise<unknown>> = {
  "notify-waiters": notifyWaiters,
  "open-connection": openConnection,
  "answer-connection": answerConnection,
  "deliver-due": deliverDue,
};
process.on("message", async ({ number, name, event }: { number: number; name: string; event: never }) => {
  const result = await callable[name]?.(event);
  process.send?.({ number, result });
});
process.once("disconnect", () => process.exit());
const address = server.address();
process.send?.({ url: `http://127.0.0.1:${typeof address === "object" && address?.port}` });
