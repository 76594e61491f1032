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

/** The route at which a client waits at its bell: API Gateway itself receives from the bell, no function runs. */
export const bellRoute = {
  method: "GET",
  path: "/api/v1/events/{queue_id}/{last_event_id}/{round}/wait",
  subtype: "SQS-ReceiveMessage",
} as const;

/** What API Gateway asks of SQS for a request to that route, in its notation. */
export const bellRequest = (bellsUrl: string): Record<string, string> => ({
  QueueUrl: `${bellsUrl}\${request.path.queue_id}`,
  WaitTimeSeconds: "20",
  // All that has rung by now is one ring.
  MaxNumberOfMessages: "10",
});

const goOn = (location: string) => ({ "overwrite:statuscode": "307", "overwrite:header.location": location });

/** How SQS's answer becomes the client's, by its status: a ring and silence lead to a look, a failure to a poll that waits. */
export const bellResponses: Record<string, Record<string, string>> = {
  "200": goOn("look"),
  ...Object.fromEntries(["400", "403", "404", "500", "503"].map((status) => [status, goOn("look?held=true")])),
};
