import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { type Answer, type Params, type SmokeAccount, SmokeClient } from "./client.ts";
import { probeConnection } from "./connection.ts";
import { NoWakeUpRouteError, probeWakeUpRoute, type RouteProbe } from "./wake-up-route.ts";

/** The result of one check. */
export interface Finding {
  check: string;
  outcome: "ok" | "slow" | "failed" | "skipped";
  /** The measured duration, if it is meaningful. */
  ms: number | undefined;
  detail: string;
  /** What to do if the outcome is not "ok". */
  advice?: string;
}

/** Checks that need the credentials of the fleet's AWS account. */
export interface SmokeOperator {
  /** Creates a wake-up queue as `/register` does; undefined if the fleet does not use them. */
  makeWakeUpQueue(): Promise<{ queueId: string; notify(): Promise<void>; remove(): Promise<void> } | undefined>;
  /** Records in the table that the wake-up route works, so that clients are sent there. */
  markProved(): Promise<void>;
  isProved(): Promise<boolean>;
}

export interface SmokeOptions {
  /** The API's base URL. */
  url: string;
  account?: SmokeAccount | undefined;
  operator?: SmokeOperator | undefined;
  /** How long to wait for the first answer: a new API takes a while to become reachable. */
  timeoutSeconds?: number;
  /** How far ahead a message is scheduled, and how long it may be late. */
  scheduled?: { aheadSeconds: number; graceSeconds: number };
  report?: (finding: Finding) => void;
}

/** Milliseconds above which a check is reported as slow. */
const limitsMs = {
  answer: 1_000,
  receive: 2_000,
  notification: 2_000,
  /** EventBridge Scheduler is accurate to a minute. */
  scheduled: 75_000,
};

const slowFunctions =
  "functions are slow: give them more memory, and thus CPU (memoryMb), and compare durationMs in the access log";
const useHeldWaiting = "deploy with waiting=held (or host), where functions wait, until the cause is found";

/** Tries what every client needs; reports each finding at once, and returns all of them. */
export async function smokeTest(options: SmokeOptions): Promise<Finding[]> {
  const findings: Finding[] = [];
  const record = (finding: Finding) => {
    findings.push(finding);
    options.report?.(finding);
  };
  /** Runs a check and records its finding; an exception is a failure. */
  const check = async (name: string, work: () => Promise<Omit<Finding, "check">>, advice?: string) => {
    try {
      record({ check: name, ...(await work()) });
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      record({ check: name, outcome: "failed", ms: undefined, detail, ...(advice && { advice }) });
    }
  };
  await withoutAccount(options, check);
  if (options.account) await withAccount(options, options.account, check);
  else {
    await check("wake-up route", () => testRouteAsOperator(options), useHeldWaiting);
    const detail = "no account was given: skipped register, send, receive, connection, upload and schedule";
    record({
      check: "an account",
      outcome: "skipped",
      ms: undefined,
      detail,
      advice: "npm run smoke -- --email … (docs/first-deployment.md)",
    });
  }
  return findings;
}

type Check = (name: string, work: () => Promise<Omit<Finding, "check">>, advice?: string) => Promise<void>;

async function withoutAccount({ url, timeoutSeconds = 0 }: SmokeOptions, check: Check) {
  const client = new SmokeClient(url);
  await check(
    "first answer",
    async () => {
      const { status, ms } = await retryFor(timeoutSeconds, async () =>
        checkSettings(await client.call("GET", "/server_settings")),
      );
      if (status === 404) {
        const advice = "npm run create-org -- --file org.json";
        return { outcome: "ok", ms, detail: "the fleet answers; it has no organization yet", advice };
      }
      return { outcome: "ok", ms, detail: "a function answered, perhaps after a cold start" };
    },
    `is ${url} reachable? A custom domain needs a DNS record first; a new API can take a minute`,
  );
  await check("settings", async () =>
    timedFinding(checkSettings(await client.call("GET", "/server_settings")), "answered"),
  );
  await check("an unknown route", async () => {
    const answer = checkRefusal(await client.call("GET", "/smoke/unknown"), 404);
    return timedFinding(answer, `404 ${answer.body.code}`);
  });
  await check("a wrong key", async () => {
    const stranger = new SmokeClient(url, { email: "smoke@skein.invalid", apiKey: "a".repeat(32) });
    const answer = checkRefusal(await stranger.call("GET", "/users/me"), 401);
    return timedFinding(answer, `401 ${answer.body.code}`);
  });
}

async function retryFor<T>(seconds: number, attempt: () => Promise<T>): Promise<T> {
  for (const deadline = Date.now() + seconds * 1000; ; await pause(2_000))
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() >= deadline) throw error;
    }
}

async function withAccount(options: SmokeOptions, account: SmokeAccount, check: Check) {
  const { url, scheduled = { aheadSeconds: 10, graceSeconds: 150 } } = options;
  const client = new SmokeClient(url, account);
  let selfId: number | undefined;
  await check("the account", async () => {
    const answer = checkSuccess(await client.call("GET", "/users/me"));
    selfId = answer.body.user_id;
    return timedFinding(answer, `user ${selfId}`);
  });
  if (selfId === undefined) return;
  const to = `[${selfId}]`;
  let registered: EventQueue | undefined;
  await check("register", async () => {
    const answer = checkSuccess(await client.call("POST", "/register", { event_types: '["message"]' }));
    registered = new EventQueue(client, answer.body.queue_id, answer.body.last_event_id);
    return timedFinding(answer, "an event queue and the initial state", 3 * limitsMs.answer);
  });
  if (!registered) return;
  const events = registered;
  const messages: number[] = [];
  /** A unique text, by which an event is recognized: it may arrive before the answer that tells the sender the message's ID. */
  const newContent = () => `Smoke test ${randomBytes(6).toString("hex")}`;
  const receive = (content: string) =>
    events.next(({ type, message }) => type === "message" && String(message.content).includes(content), 60);
  const send = async (content: string): Promise<Answer> => {
    const answer = checkSuccess(await client.call("POST", "/messages", { type: "direct", to, content }));
    messages.push(answer.body.id);
    return answer;
  };
  const [first, second] = [newContent(), newContent()];
  await check("send", async () => timedFinding(await send(first), "a direct message to the account itself"));
  await check("receive", async () => {
    await receive(first);
    const received = receive(second);
    // Lets the poll reach the fleet before the message is sent.
    await pause(1_000);
    const { ms: sendMs } = await send(second);
    const sentAt = performance.now();
    await received;
    const ms = Math.max(0, performance.now() - sentAt);
    const detail = `received ${Math.round(ms)} ms after the reply to the sender (which took ${Math.round(sendMs)} ms)`;
    return findingByDuration(ms, limitsMs.receive, detail, "see the wake-up route below, or deploy with waiting=held");
  });
  await check(
    "connection",
    async () => {
      const { body } = checkSuccess(await client.call("POST", "/events/connection", { queue_id: events.id }));
      const content = newContent();
      const { connectedMs, receivedMs } = await probeConnection(
        body.url,
        { queueId: events.id, lastEventId: events.lastEventId },
        { text: content, send: () => send(content) },
      );
      const detail = `connected in ${Math.round(connectedMs)} ms; received ${Math.round(receivedMs)} ms after the reply to the sender`;
      return findingByDuration(receivedMs, limitsMs.receive, detail, slowFunctions);
    },
    "the web client polls instead, which costs more; see the logs of events/open-connection, events/answer-connection and events/notify-waiters",
  );
  await check("upload", async () => {
    const content = randomBytes(1000).toString("base64");
    const form = new FormData();
    form.set("file", new Blob([content], { type: "text/plain" }), "smoke.txt");
    const uploaded = checkSuccess(await client.send("POST", "/api/v1/user_uploads", form));
    const served = await client.send("GET", uploaded.body.url);
    if (served.status !== 200 || Buffer.from(served.bytes).toString() !== content)
      throw new Error(`the file was served with status ${served.status} and ${served.bytes.length} bytes`);
    await removeUpload(client, uploaded.body.url);
    return timedFinding(uploaded, `stored, and served in ${Math.round(served.ms)} ms`, 2 * limitsMs.answer);
  });
  await check(
    "wake-up route",
    async () => {
      const position = { queueId: events.id, lastEventId: events.lastEventId };
      const result = await testRoute(options, () => probeWakeUpRoute(client, position, () => send(newContent())));
      const { finalAnswer } = result.probed ?? {};
      if (finalAnswer && !finalAnswer.body?.events?.some(({ message }: Event) => message?.id === messages.at(-1)))
        throw new Error("the final answer lacks the event for which the client was notified");
      return result.finding;
    },
    useHeldWaiting,
  );
  await check(
    "schedule",
    async () => {
      const dueAtSeconds = Math.ceil(Date.now() / 1000) + scheduled.aheadSeconds;
      const content = `Smoke test, scheduled ${randomBytes(6).toString("hex")}`;
      const params: Params = { type: "direct", to, content, scheduled_delivery_timestamp: dueAtSeconds };
      checkSuccess(await client.call("POST", "/scheduled_messages", params));
      const isScheduledMessage = ({ type, message }: Event) => type === "message" && message.content.includes(content);
      const event = await events.next(isScheduledMessage, scheduled.aheadSeconds + scheduled.graceSeconds);
      messages.push(event.message.id);
      const lateMs = Math.max(0, Date.now() - dueAtSeconds * 1000);
      const detail = `delivered ${(lateMs / 1000).toFixed(1)} s after the scheduled time`;
      return findingByDuration(
        lateMs,
        limitsMs.scheduled,
        detail,
        "EventBridge Scheduler is accurate to a minute; does the deliveries queue have a backlog?",
      );
    },
    'are there schedules in the fleet\'s group, or dead letters? See docs/operating.md, "Dead-letter queues"',
  );
  await events.close();
  // Deleting may fail: the organization's settings decide who may delete messages.
  for (const id of messages) await client.call("DELETE", `/messages/${id}`).catch(() => undefined);
}

interface Event {
  id: number;
  type: string;
  message: { id: number; content: string };
}

/** An event queue, polled as clients do. */
class EventQueue {
  readonly id: string;
  lastEventId: number;
  readonly #client: SmokeClient;

  constructor(client: SmokeClient, id: string, lastEventId: number) {
    this.#client = client;
    this.id = id;
    this.lastEventId = lastEventId;
  }

  /** The next event that `isWanted` accepts; throws after `seconds`. */
  async next(isWanted: (event: Event) => boolean, seconds: number): Promise<Event> {
    const deadline = Date.now() + seconds * 1000;
    while (Date.now() < deadline) {
      const { body } = checkSuccess(await this.#poll());
      const wanted = (body.events as Event[]).find(isWanted);
      this.lastEventId = wanted?.id ?? body.events.at(-1)?.id ?? this.lastEventId;
      if (wanted) return wanted;
    }
    throw new Error(`the event did not come within ${seconds} s`);
  }

  async #poll(): Promise<Answer> {
    let path = `/api/v1/events?queue_id=${this.id}&last_event_id=${this.lastEventId}`;
    for (let redirects = 0; ; redirects++) {
      const answer = await this.#client.send("GET", path);
      if (answer.status !== 307) return answer;
      if (redirects === 5) throw new Error("GET /events redirects more than five times");
      path = this.#client.redirectTarget(path, answer);
    }
  }

  close = () => this.#client.call("DELETE", "/events", { queue_id: this.id });
}

async function removeUpload(client: SmokeClient, url: string): Promise<void> {
  const { body } = await client.call("GET", "/attachments");
  const attachment = body.attachments?.find(({ path_id }: { path_id: string }) => url.endsWith(path_id));
  if (attachment) await client.call("DELETE", `/attachments/${attachment.id}`);
}

/** Tests the wake-up route with a queue that the operator creates, which needs neither an organization nor an account. */
async function testRouteAsOperator(options: SmokeOptions): Promise<Omit<Finding, "check">> {
  const { operator, url } = options;
  if (!operator)
    return { outcome: "skipped", ms: undefined, detail: "neither an account nor AWS credentials were given" };
  const queue = await operator.makeWakeUpQueue();
  if (!queue) return noRouteFinding;
  const { queueId, notify, remove } = queue;
  try {
    const position = { queueId, lastEventId: -1 };
    return (await testRoute(options, () => probeWakeUpRoute(new SmokeClient(url), position, notify))).finding;
  } finally {
    await remove();
  }
}

const noRouteFinding = {
  outcome: "skipped" as const,
  ms: undefined,
  detail: "the fleet has none: functions or a host hold the clients' polls",
};

/** Runs the probe of the wake-up route; if it succeeds, records in the table that the route works. */
async function testRoute({ operator }: SmokeOptions, probe: () => Promise<RouteProbe>) {
  try {
    const probed = await probe();
    const proved = await recordProof(operator);
    const after = `redirected ${Math.round(probed.notifiedAfterMs)} ms after the notification; ${proved.detail}`;
    const slow = "the table's stream or SQS is slow; if it stays so, deploy with waiting=held";
    const finding = findingByDuration(probed.notifiedAfterMs, limitsMs.notification, after, slow);
    return { probed, finding: { ...(proved.advice && { advice: proved.advice }), ...finding } };
  } catch (error) {
    if (!(error instanceof NoWakeUpRouteError)) throw error;
    return { probed: undefined, finding: noRouteFinding };
  }
}

async function recordProof(operator: SmokeOperator | undefined): Promise<{ detail: string; advice?: string }> {
  if (!operator)
    return {
      detail: "this result was not recorded",
      advice: "run this with the deployment's AWS credentials, so that clients use the route",
    };
  if (await operator.isProved()) return { detail: "it was already known to work" };
  await operator.markProved();
  return { detail: "clients use it from now on" };
}

/** Returns an answer that reports success; throws for any other. */
function checkSuccess(answer: Answer): Answer {
  const { status, body, bytes } = answer;
  if (status === 200 && (body?.result === "success" || body?.result === "partially_completed")) return answer;
  throw new Error(`answered ${status}: ${Buffer.from(bytes).toString().slice(0, 200)}`);
}

/** Returns an answer of a fleet that serves its settings, or that has no organization yet, as after its first deployment. */
const checkSettings = (answer: Answer): Answer =>
  answer.body?.code === "NONEXISTENT_SUBDOMAIN" ? checkRefusal(answer, 404) : checkSuccess(answer);

/** Returns an error with this status and a code; throws for any other answer. */
function checkRefusal(answer: Answer, status: number): Answer {
  if (answer.status === status && answer.body?.result === "error" && answer.body.code) return answer;
  throw new Error(`answered ${answer.status}, not ${status}: ${Buffer.from(answer.bytes).toString().slice(0, 200)}`);
}

const timedFinding = ({ ms }: Answer, detail: string, limit = limitsMs.answer) =>
  findingByDuration(ms, limit, detail, slowFunctions);

const findingByDuration = (ms: number, limit: number, detail: string, advice: string): Omit<Finding, "check"> =>
  ms > limit
    ? { outcome: "slow", ms, detail: `${detail} (more than ${limit} ms)`, advice }
    : { outcome: "ok", ms, detail };
