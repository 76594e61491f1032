import { ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { handler as getEvents } from "../../../functions/events/get-events.ts";
import { handler as lookForEvents } from "../../../functions/events/look-for-events.ts";
import { handler as notifyWaiters } from "../../../functions/events/notify-waiters.ts";
import { handler as sendMessage } from "../../../functions/messages/send-message.ts";
import { handler as unknownRoute } from "../../../functions/server/unknown-route.ts";
import type { EndpointMember, FallbackMember } from "../../../infra/fleet.ts";
import { startGateway } from "../../../infra/local/gateway.ts";
import { wakeUpIntegration } from "../../../infra/local/wake-up-integration.ts";

/**
 * A program that serves the functions for sending and polling, and the gateway's wake-up routes, with the table and queues of
 * a host in another process. Batches of the table's stream arrive as IPC messages `{ number, event }`, where `number` is the
 * batch's position, and are acknowledged by sending back `{ number }`.
 */

const endpoints = { "get-events": getEvents, "look-for-events": lookForEvents, "send-message": sendMessage };
const members = Object.entries(endpoints).map(
  ([name, handler]) => ({ name, kind: handler.kind, spec: handler.spec, handler }) as unknown as EndpointMember,
);
const fallback = { name: "unknown-route", spec: unknownRoute.spec, handler: unknownRoute } as unknown as FallbackMember;

const sqs = new SQSClient({});
const wakeUps = wakeUpIntegration(process.env.WAKE_UP_QUEUES_URL as string, (input, abortSignal) =>
  sqs.send(new ReceiveMessageCommand(input as never), { abortSignal }),
);
const server = await startGateway(members, fallback, 0, { wakeUps });
process.on("message", async ({ number, event }: { number: number; event: never }) => {
  await notifyWaiters(event);
  process.send?.({ number });
});
process.once("disconnect", () => process.exit());
const address = server.address();
process.send?.({ url: `http://127.0.0.1:${typeof address === "object" && address?.port}` });
