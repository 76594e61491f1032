import { gunzipSync } from "node:zlib";
import { loadFleet } from "../../infra/fleet.ts";
import { httpEvent, urlOf, withBody } from "../../infra/local/http-event.ts";
import { router } from "../../infra/local/routes.ts";
import type { RequestRecord } from "../../shared/base/observability/metrics.ts";
import { writeRequestRecords } from "../../shared/base/observability/trace.ts";
import type { Actor } from "./bench-host.ts";

/** A client's request. With `file` the body is multipart, and the parameters are in the query. */
export interface ClientRequest {
  method: string;
  path: string;
  params?: Record<string, unknown> | undefined;
  file?: { name: string; bytes: Uint8Array } | undefined;
}

interface InvokeResult {
  status: number;
  body: any;
  /** Bytes as sent, after compression. */
  sentBytes: number;
  record: RequestRecord;
}

const fleet = loadFleet();
let lastRecord: RequestRecord | undefined;

/** Runs a request's handler in this process, on the table that the environment names. */
export async function invoke(
  actor: Actor | undefined,
  { method, path, params = {}, file }: ClientRequest,
): Promise<InvokeResult> {
  writeRequestRecords((record) => {
    lastRecord = record;
  });
  const form = new URLSearchParams(
    Object.entries(params).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]),
  ).toString();
  const url = path.startsWith("//") ? path.slice(1) : `/api/v1${path}`;
  const endpoints = (await fleet).filter((member) => member.kind === "endpoint");
  const match = router(endpoints)(method, url.split("?")[0] ?? url);
  if (!match) throw new Error(`Nothing answers ${method} ${path}`);
  const inQuery = method === "GET" || file !== undefined;
  const { body, type } = file ? await multipart(file) : { body: Buffer.from(inQuery ? "" : form), type: formType };
  const request = {
    method,
    url: inQuery && form ? `${url}?${form}` : url,
    httpVersion: "1.1",
    headers: {
      host: "127.0.0.1",
      "user-agent": "SkeinBench/1.0",
      "accept-encoding": "gzip",
      ...(actor && { authorization: `Basic ${Buffer.from(`${actor.email}:${actor.apiKey}`).toString("base64")}` }),
      ...(body.length > 0 && { "content-type": type }),
    },
    socket: {},
  };
  const event = withBody(httpEvent(request as never, urlOf(request), match.route), body);
  // No time limit, because the cost of a call is counted until its end.
  const reply = await match.member.handler(event, { getRemainingTimeInMillis: () => 600_000 } as never);
  const text = String(reply.body ?? "");
  const sent = Buffer.from(text, reply.isBase64Encoded ? "base64" : "utf8");
  const decompressed = reply.headers?.["content-encoding"] === "gzip" ? gunzipSync(sent) : sent;
  return {
    status: reply.statusCode,
    body: /json/.test(reply.headers?.["content-type"] ?? "") ? JSON.parse(decompressed.toString()) : text,
    sentBytes: sent.length,
    record: lastRecord as RequestRecord,
  };
}

const formType = "application/x-www-form-urlencoded";

async function multipart({ name, bytes }: NonNullable<ClientRequest["file"]>) {
  const form = new FormData();
  form.set("filename", new Blob([new Uint8Array(bytes)]), name);
  const response = new Response(form);
  return { body: Buffer.from(await response.arrayBuffer()), type: response.headers.get("content-type") ?? "" };
}
