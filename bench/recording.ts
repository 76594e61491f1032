import { Agent } from "node:http";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { SignatureV4 } from "@smithy/signature-v4";
import { provideHost } from "../shared/host.ts";
import { entriesPerPartition } from "../shared/store/table/log-items.ts";
import { connectTable, dynamoDbTable } from "../shared/table/dynamodb/table.ts";
import type { Actor } from "./host/bench-host.ts";
import { sendRequest } from "./host/client.ts";
import { invoke } from "./host/invoke.ts";
import { sequenceDigits, shiftLogEnd } from "./host/log-end.ts";

/** A handler's call to the table. */
interface Call {
  operation: string;
  body: string;
  /** The number of calls, one after another, that ended before this call began. */
  depth: number;
  /** The sequence numbers that this call took from the log, if any. */
  numbers?: { event: number; message: number } | undefined;
}

/** The calls of one request by stage; calls of a stage ran concurrently. */
export type Recording = readonly (readonly Call[])[];

let recording: (Call & { endedAt: number })[] | undefined;
let observing = false;

function observe() {
  if (observing) return;
  observing = true;
  const connection = connectTable();
  provideHost({ table: () => dynamoDbTable(connection) });
  // At the step "build" the request is serialized but not signed yet.
  connection.client.middlewareStack.add(
    (next, { commandName = "" }) =>
      async (args) => {
        const calls = recording;
        if (!calls) return next(args);
        const startedAt = performance.now();
        const earlierCalls = calls.filter(({ endedAt }) => endedAt <= startedAt);
        const call = {
          operation: commandName.replace(/Command$/, ""),
          // The SDK's serializer may return bytes whose toString() decodes them.
          body: String((args.request as { body: unknown }).body),
          depth: Math.max(-1, ...earlierCalls.map(({ depth }) => depth)) + 1,
          endedAt: Number.POSITIVE_INFINITY,
        };
        calls.push(call);
        const result = await next(args);
        const numbers = call.body.includes('"HEAD"') && numbersIn(result.output as HeadOutput);
        Object.assign(call, { endedAt: performance.now(), ...(numbers && { numbers }) });
        return result;
      },
    { step: "build", name: "recording" },
  );
}

/** Runs a request's handler in this process and returns its table calls. */
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

/** Replays recorded calls against a host's table, by plain HTTP with the SDK's signer but without its other overhead. */
export class Replayer {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #url: URL;
  readonly #signer: SignatureV4;
  /** How many replayed calls the table refused. */
  failures = 0;
  /** The highest event sequence number that a replayed call has taken. */
  #newest = 0;
  constructor(environment: Record<string, string>) {
    const { AWS_ACCESS_KEY_ID: accessKeyId = "", AWS_SECRET_ACCESS_KEY: secretAccessKey = "" } = environment;
    const { AWS_REGION: region = "", AWS_ENDPOINT_URL_DYNAMODB: url = "" } = environment;
    const credentials = { accessKeyId, secretAccessKey };
    const { sha256 } = new DynamoDBClient({ region, credentials }).config;
    this.#url = new URL(url);
    this.#signer = new SignatureV4({ service: "dynamodb", region, credentials, sha256 });
  }

  async play(stages: Recording): Promise<void> {
    const recorded = stages.flat().find(({ numbers }) => numbers)?.numbers?.event;
    let rewrite = shiftLogEnd(recorded && this.#newest ? this.#newest + 1 - recorded : 0);
    for (const stage of stages) {
      const outputs = await Promise.all(stage.map((call) => this.#send(call, rewrite(call.body))));
      for (const [index, { numbers }] of stage.entries())
        if (numbers) {
          const taken = numbersIn(outputs[index]);
          this.#newest = Math.max(this.#newest, taken.event);
          rewrite = renumbering(numbers, taken);
        }
    }
  }

  async #send({ operation }: Call, body: string): Promise<any> {
    const { protocol, hostname, host } = this.#url;
    const { headers } = await this.#signer.sign({
      ...{ method: "POST", protocol, hostname, path: "/", query: {}, body },
      headers: {
        "content-type": "application/x-amz-json-1.0",
        "x-amz-target": `DynamoDB_20120810.${operation}`,
        host,
      },
    });
    const length = { "content-length": String(Buffer.byteLength(body)) };
    const options = { method: "POST", headers: { ...headers, ...length }, agent: this.#agent };
    const { status, bytes } = await sendRequest(this.#url.href, options, body);
    const output = JSON.parse(String(bytes));
    if (status !== 200) this.failures++;
    return output;
  }

  close(): void {
    this.#agent.destroy();
  }
}

/**
 * The former attributes of the log's head, the item that counts sequence numbers. The document client returns plain numbers; a
 * raw reply has DynamoDB JSON.
 */
interface HeadOutput {
  Attributes?: Record<string, number | { N: string }>;
}

/** The sequence numbers that a write to the log's head took: each is one more than before. */
function numbersIn({ Attributes: before }: HeadOutput): Numbers {
  const after = (kind: string) => {
    const number = before?.[kind];
    return Number(typeof number === "object" ? number.N : number) + 1;
  };
  return { event: after("event"), message: after("message") };
}

type Numbers = Record<"event" | "message", number>;

/**
 * Replaces the recorded sequence numbers in the body of a call by those that its replay took. Bodies contain them plain, padded
 * to 16 digits, and divided by 1000 in partition keys.
 */
function renumbering(from: Numbers, to: Numbers): (body: string) => string {
  const changed = new Map(
    (["event", "message"] as const).flatMap((kind) => [
      [String(from[kind]), String(to[kind])],
      [String(from[kind]).padStart(sequenceDigits, "0"), String(to[kind]).padStart(sequenceDigits, "0")],
    ]),
  );
  changed.set(
    `LOG#${Math.floor(from.event / entriesPerPartition)}`,
    `LOG#${Math.floor(to.event / entriesPerPartition)}`,
  );
  const token = /"ClientRequestToken":"[^"]*"/;
  return (body) =>
    body
      // Leaves digits within names and base64 as they are.
      .replace(/LOG#\d+|(?<![\w+/])\d+(?![\w+/=])/g, (found) => changed.get(found) ?? found)
      .replace(token, `"ClientRequestToken":"${crypto.randomUUID()}"`);
}
