/**
 * How the clients of a fleet wait for events: "held", a function waits with them; "bell", they wait at an SQS queue behind
 * API Gateway; "host", `GET /events` goes to a process that runs all the time (`npm run serve`).
 */
export type Waiting = "held" | "bell" | "host";

export const ways: readonly Waiting[] = ["held", "bell", "host"];

/** The way that a setting names; an error says which there are. */
export function waitingNamed(name: string, setting: string): Waiting {
  const found = ways.find((way) => way === name);
  if (!found) throw new Error(`${setting} must be "held", "bell" or "host"`);
  return found;
}

/** A place at which a client waits: API Gateway itself receives from the client's bell there, and no function runs. */
export interface BellRoute {
  method: "GET";
  path: string;
  /** What API Gateway asks of SQS for a request to the route, in its notation. */
  request(bellsUrl: string): Record<string, string>;
  /** How SQS's answer becomes the client's, by its status. */
  responses: Record<string, Record<string, string>>;
}

/** API Gateway's name of what it does there. */
export const bellSubtype = "SQS-ReceiveMessage";

/** A client comes through so many such places, up to 20 s in each, before a function looks again: four redirects in all. */
const waits = 3;

const goOn = (location: string) => ({ "overwrite:statuscode": "307", "overwrite:header.location": location });
const failures = ["400", "403", "404", "500", "503"];

/** The places one after the other. Each leads on by a static path beside its own; a failure leads to a poll that waits. */
export const bellRoutes: readonly BellRoute[] = Array.from({ length: waits }, (_, index) => {
  const number = index + 1;
  const last = number === waits;
  return {
    method: "GET",
    path: `/api/v1/events/{queue_id}/{last_event_id}/wait-${number}`,
    request: (bellsUrl) => ({
      QueueUrl: `${bellsUrl}\${request.path.queue_id}`,
      WaitTimeSeconds: "20",
      // All that has rung by now is one ring.
      MaxNumberOfMessages: "10",
      // Whoever leads on to another place leaves the ring for it; the last hides it for good.
      ...(!last && { VisibilityTimeout: "0" }),
    }),
    responses: {
      "200": goOn(last ? "look" : `wait-${number + 1}`),
      ...Object.fromEntries(failures.map((status) => [status, goOn("look?held=true")])),
    },
  };
});
