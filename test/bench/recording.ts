import { Agent } from "node:http";
import { observeAwsCalls } from "../../shared/aws.ts";
import { post } from "./client.ts";
import { invoke } from "./invoke.ts";
import type { Actor } from "./stage.ts";

/** A call of the table's as a handler made it. */
interface Call {
  operation: string;
  body: string;
  /** How many calls, one after the other, had to end before this one began. */
  depth: number;
  /** The numbers that the log gave, when this call took some. */
  numbers?: { event: number; message: number } | undefined;
}

/** The calls of one request in stages: those of one ran side by side. */
export type Recording = readonly (readonly Call[])[];

let recording: (Call & { endedAt: number })[] | undefined;
let observing = false;

function observe() {
  if (observing) return;
  observing = true;
  observeAwsCalls(async ({ client, command, input }, proceed) => {
    const own = recording;
    if (!own || client !== "DynamoDBClient") return proceed();
    const startedAt = performance.now();
    const before = own.filter(({ endedAt }) => endedAt <= startedAt);
    const call = {
      operation: command.replace(/Command$/, ""),
      body: JSON.stringify(input),
      depth: Math.max(-1, ...before.map(({ depth }) => depth)) + 1,
      endedAt: Number.POSITIVE_INFINITY,
    };
    own.push(call);
    const output = (await proceed()) as { output: HeadOutput };
    const numbers = call.body.includes('"HEAD"') && numbersIn(output.output);
    Object.assign(call, { endedAt: performance.now(), ...(numbers && { numbers }) });
    return output;
  });
}

/** Runs a request's handler in this process and returns the table calls that it made. */
export async function record(
  actor: Actor,
  method: string,
  path: string,
  params: Record<string, unknown> = {},
): Promise<Recording> {
  observe();
  recording = [];
  const { status, body } = await invoke(actor, { method, path, params });
  const calls = recording;
  recording = undefined;
  if (status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(body)}`);
  return Object.values(Object.groupBy(calls, ({ depth }) => depth)).map((stage) => stage ?? []);
}

/** Makes recorded calls against the engine itself: bare HTTP, no SDK, no signature that anybody verifies. */
export class Replayer {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #url: string;
  failures = 0;
  constructor(url: string) {
    this.#url = url;
  }

  async play(stages: Recording): Promise<void> {
    let change = (body: string) => body;
    for (const stage of stages) {
      const outputs = await Promise.all(stage.map((call) => this.#send(call, change(call.body))));
      for (const [index, { numbers }] of stage.entries())
        if (numbers) change = renumbering(numbers, numbersIn(outputs[index]));
    }
  }

  async #send({ operation }: Call, body: string): Promise<any> {
    const headers = {
      "content-type": "application/x-amz-json-1.0",
      "content-length": String(Buffer.byteLength(body)),
      "x-amz-target": `DynamoDB_20120810.${operation}`,
      "x-amz-date": "20260101T000000Z",
      authorization:
        "AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=00",
    };
    const { status, bytes } = await post(this.#url, { method: "POST", headers, agent: this.#agent }, body);
    const output = JSON.parse(String(bytes));
    if (status !== 200) this.failures++;
    return output;
  }

  close(): void {
    this.#agent.destroy();
  }
}

interface HeadOutput {
  Attributes?: Record<string, { N?: string }>;
}

/** The numbers after those that the head had before. */
const numbersIn = ({ Attributes: before }: HeadOutput): Numbers => ({
  event: Number(before?.event?.N) + 1,
  message: Number(before?.message?.N) + 1,
});

type Numbers = Record<"event" | "message", number>;

/** A change needs fresh numbers each time; they stand in its bodies padded, plain and in partitions' names. */
function renumbering(from: Numbers, to: Numbers): (body: string) => string {
  const changed = new Map(
    (["event", "message"] as const).flatMap((kind) => [
      [String(from[kind]), String(to[kind])],
      [String(from[kind]).padStart(16, "0"), String(to[kind]).padStart(16, "0")],
    ]),
  );
  changed.set(`LOG#${Math.floor(from.event / 1000)}`, `LOG#${Math.floor(to.event / 1000)}`);
  const token = /"ClientRequestToken":"[^"]*"/;
  return (body) =>
    body
      .replace(token, `"ClientRequestToken":"${crypto.randomUUID()}"`)
      .replace(/LOG#\d+|\d+/g, (found) => changed.get(found) ?? found);
}
