import { GetQueueAttributesCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { checkError } from "../checks/error-codes.ts";
import { aPrivateHost, type PrivateHost } from "./private-host.ts";

export const [owner, viola] = ["owner@globe.test", "viola@globe.test"] as const;

/** One reply to a poll, without following the redirect. */
export interface Step {
  status: number;
  location: string | null;
  /** The redirect's absolute URL; empty if there is none. */
  next: string;
  headers: Headers;
  body: any;
}

/** A private host whose clients wait at wake-up queues, with helpers. */
export interface HostWithWakeUpQueues extends PrivateHost {
  sqs: SQSClient;
  /** Options for AWS clients of the host. */
  common: { region: string; credentials: { accessKeyId: string; secretAccessKey: string } };
  /** Registers an event queue; returns its ID. */
  register(options?: Record<string, unknown>, who?: string): Promise<string>;
  step(url: string, who?: string): Promise<Step>;
  eventsOf(queueId: string, last?: number | string): string;
  wakeUpQueueUrl(queueId: string): string;
  /** How many wake-ups nobody has received. */
  pendingWakeUps(queueId: string): Promise<number>;
  /** Sends a wake-up without an event. */
  wakeUp(queueId: string): Promise<unknown>;
  write(to: unknown, content: string): Promise<any>;
  subscribe(name: string, who: string, by?: string): Promise<any>;
  ownerId(): Promise<number>;
}

export async function startHostWithWakeUpQueues(): Promise<HostWithWakeUpQueues> {
  const host = await aPrivateHost({ SKEIN_WAITING: "wake-up-queue" });
  const { AWS_REGION: region = "", AWS_ENDPOINT_URL_SQS: endpoint = "", BELLS_URL } = host.environment;
  const accessKeyId = host.environment.AWS_ACCESS_KEY_ID as string;
  const secretAccessKey = host.environment.AWS_SECRET_ACCESS_KEY as string;
  // Not from the environment, which belongs to another host.
  const common = { region, credentials: { accessKeyId, secretAccessKey } };
  const sqs = new SQSClient({ ...common, endpoint });
  const credentials = new Map<string, string>();
  const basic = async (who: string) => {
    const known = credentials.get(who);
    if (known) return known;
    const { api_key } = await host.as(undefined, "POST", "/dev_fetch_api_key", { username: who });
    const made = `Basic ${Buffer.from(`${who}:${api_key}`).toString("base64")}`;
    credentials.set(who, made);
    return made;
  };
  const idOf = async (who: string) => (await host.do(who, "GET", "/users/me")).user_id as number;
  const wakeUpQueueUrl = (queueId: string) => `${BELLS_URL}${queueId}`;
  return {
    ...host,
    ...{ sqs, common, wakeUpQueueUrl },
    register: async (options = {}, who = owner) => {
      const wanted = { fetch_event_types: [], event_types: ["message"], ...options };
      return (await host.do(who, "POST", "/register", wanted)).queue_id;
    },
    step: async (url, who = owner) => {
      const response = await fetch(url, { headers: { authorization: await basic(who) }, redirect: "manual" });
      const location = response.headers.get("location");
      const body = await response.json().catch(() => undefined);
      const { status, headers } = response;
      checkError("GET", new URL(url).pathname, status, body);
      return { status, location, next: location ? new URL(location, url).href : "", headers, body };
    },
    eventsOf: (queueId, last = -1) => `${host.url}/api/v1/events?queue_id=${queueId}&last_event_id=${last}`,
    pendingWakeUps: async (queueId) => {
      const AttributeNames = ["ApproximateNumberOfMessages" as const];
      const { Attributes } = await sqs.send(
        new GetQueueAttributesCommand({ QueueUrl: wakeUpQueueUrl(queueId), AttributeNames }),
      );
      return Number(Attributes?.ApproximateNumberOfMessages);
    },
    wakeUp: (queueId) => sqs.send(new SendMessageCommand({ QueueUrl: wakeUpQueueUrl(queueId), MessageBody: "look" })),
    write: (to, content) => host.do(owner, "POST", "/messages", { type: "direct", to, content }),
    subscribe: async (name, who, by = who) => {
      const principals = by === who ? {} : { principals: [await idOf(who)] };
      return host.do(by, "POST", "/users/me/subscriptions", { subscriptions: [{ name }], ...principals });
    },
    ownerId: () => idOf(owner),
  };
}
