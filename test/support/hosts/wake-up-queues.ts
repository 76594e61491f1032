import { checkError } from "../checks/error-codes.ts";
import { callAws } from "./aws-calls.ts";
import { aPrivateHost, type PrivateHost } from "./private-host.ts";

/** The addresses of two users of the host. */
export const [owner, viola] = ["owner@globe.test", "viola@globe.test"] as const;

/** The reply to one request of a poll; the client would continue at `nextUrl`. */
interface PollReply {
  status: number;
  /** The `Location` header as sent, which may be relative. */
  location: string | null;
  /** The absolute URL of the redirect; empty if there is none. */
  nextUrl: string;
  headers: Headers;
  body: any;
}

/** A private host whose clients wait at wake-up queues, with helpers. */
export interface HostWithWakeUpQueues extends PrivateHost {
  /** Makes a call of SQS; returns its output. */
  callSqs(command: string, input: Record<string, unknown>): Promise<Record<string, any>>;
  /** Registers an event queue; returns its ID. */
  register(options?: Record<string, unknown>, who?: string): Promise<string>;
  /** Makes one request of a poll as `who`, without following a redirect. */
  fetchOnce(url: string, who?: string): Promise<PollReply>;
  /** The URL at which a poll starts. */
  eventsUrl(queueId: string, lastEventId?: number | string): string;
  wakeUpQueueUrl(queueId: string): string;
  /** The number of wake-ups in the queue that no client has received. */
  pendingWakeUps(queueId: string): Promise<number>;
  /** Sends a wake-up without an event. */
  wakeUp(queueId: string): Promise<unknown>;
  /** Sends a direct message as the owner. */
  sendDirect(to: unknown, content: string): Promise<any>;
  /** Subscribes `who` to a channel, at the request of `by`. */
  subscribe(name: string, who: string, by?: string): Promise<any>;
  ownerId(): Promise<number>;
}

export async function startHostWithWakeUpQueues(): Promise<HostWithWakeUpQueues> {
  const host = await aPrivateHost({ SKEIN_WAITING: "wake-up-queue" });
  const { WAKE_UP_QUEUES_URL } = host.environment;
  const callSqs = (command: string, input: Record<string, unknown>) =>
    callAws(host.environment, "SQSClient", `${command}Command`, input);
  const authorizations = new Map<string, string>();
  const authorizationOf = async (who: string) => {
    const known = authorizations.get(who);
    if (known) return known;
    const { api_key } = await host.as(undefined, "POST", "/dev_fetch_api_key", { username: who });
    const authorization = `Basic ${Buffer.from(`${who}:${api_key}`).toString("base64")}`;
    authorizations.set(who, authorization);
    return authorization;
  };
  const idOf = async (who: string) => (await host.do(who, "GET", "/users/me")).user_id as number;
  const wakeUpQueueUrl = (queueId: string) => `${WAKE_UP_QUEUES_URL}${queueId}`;
  return {
    ...host,
    ...{ callSqs, wakeUpQueueUrl },
    register: async (options = {}, who = owner) => {
      const params = { fetch_event_types: [], event_types: ["message"], ...options };
      return (await host.do(who, "POST", "/register", params)).queue_id;
    },
    fetchOnce: async (url, who = owner) => {
      const response = await fetch(url, { headers: { authorization: await authorizationOf(who) }, redirect: "manual" });
      const location = response.headers.get("location");
      const body = await response.json().catch(() => undefined);
      const { status, headers } = response;
      await checkError("GET", new URL(url).pathname, status, body);
      return { status, location, nextUrl: location ? new URL(location, url).href : "", headers, body };
    },
    eventsUrl: (queueId, lastEventId = -1) =>
      `${host.url}/api/v1/events?queue_id=${queueId}&last_event_id=${lastEventId}`,
    pendingWakeUps: async (queueId) => {
      const { Attributes } = await callSqs("GetQueueAttributes", { QueueUrl: wakeUpQueueUrl(queueId) });
      return Number(Attributes.ApproximateNumberOfMessages);
    },
    wakeUp: (queueId) => callSqs("SendMessage", { QueueUrl: wakeUpQueueUrl(queueId), MessageBody: "look" }),
    sendDirect: (to, content) => host.do(owner, "POST", "/messages", { type: "direct", to, content }),
    subscribe: async (name, who, by = who) => {
      const principals = by === who ? {} : { principals: [await idOf(who)] };
      return host.do(by, "POST", "/users/me/subscriptions", { subscriptions: [{ name }], ...principals });
    },
    ownerId: () => idOf(owner),
  };
}
