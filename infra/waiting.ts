/**
 * How the clients of a fleet wait for events. "held": a function holds the request. "wake-up-queue": API Gateway receives
 * from an SQS queue, and no function runs. "host": `GET /events` goes to a permanent process (`npm run serve`).
 */
export type WaitingMode = "held" | "wake-up-queue" | "host";

const strategies: readonly WaitingMode[] = ["held", "wake-up-queue", "host"];

/** The strategy that a setting names. */
export const findWaiting = (name: string): WaitingMode | undefined => strategies.find((strategy) => strategy === name);

/** The strategy that a setting names, or an error that lists the strategies. */
export function getWaiting(name: string, setting: string): WaitingMode {
  const found = findWaiting(name);
  if (!found) throw new Error(`${setting} must be "held", "wake-up-queue" or "host"`);
  return found;
}

/** A route at which a client waits: API Gateway itself receives from the client's wake-up queue, and no function runs. */
export interface WakeUpRoute {
  method: "GET";
  path: string;
  /** The parameters of the call to SQS, in API Gateway's mapping notation. */
  request(wakeUpQueuesUrl: string): Record<string, string>;
  /** The response mapping by the status of SQS's answer. */
  responses: Record<string, Record<string, string>>;
}

/** API Gateway's name for the integration. */
export const receiveMessageSubtype = "SQS-ReceiveMessage";

/** A client waits at this many routes in a row, up to 20 s at each, before a function polls again: four redirects in all. */
const routeCount = 3;

const redirectTo = (location: string) => ({
  "overwrite:statuscode": "307",
  "overwrite:header.location": location,
  "overwrite:header.x-content-type-options": "nosniff",
});
const failureStatuses = ["400", "403", "404", "500", "503"];

/** The routes in order. Each redirects to a static relative path; a failure redirects to a poll that a function holds. */
export const wakeUpRoutes: readonly WakeUpRoute[] = Array.from({ length: routeCount }, (_, index) => {
  const number = index + 1;
  const isLast = number === routeCount;
  return {
    method: "GET",
    path: `/api/v1/events/{queue_id}/{last_event_id}/wait-${number}`,
    request: (wakeUpQueuesUrl) => ({
      QueueUrl: `${wakeUpQueuesUrl}\${request.path.queue_id}`,
      WaitTimeSeconds: "20",
      // Receives all pending wake-ups at once, since one poll serves them all.
      MaxNumberOfMessages: "10",
      // An earlier route leaves the wake-up visible for the next one; the last hides it until it expires.
      ...(!isLast && { VisibilityTimeout: "0" }),
    }),
    responses: {
      "200": redirectTo(isLast ? "look" : `wait-${number + 1}`),
      ...Object.fromEntries(failureStatuses.map((status) => [status, redirectTo("look?held=true")])),
    },
  };
});
