import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";

/** A request as a service reads it; its signature has been verified. */
export interface AwsRequest {
  method: string;
  /** As sent, still percent-encoded. */
  path: string;
  query: Map<string, string>;
  headers: IncomingHttpHeaders;
  body: Readable;
  /** The body as it was read to verify the signature; S3 reads its own. */
  whole: Buffer | undefined;
  region: string;
  /** The address at which the client reached the emulator, without a final slash. */
  origin: string;
  /** Aborts when the client has gone or the emulator stops; made when it is first asked for. */
  readonly gone: AbortSignal;
}

export interface AwsReply {
  status: number;
  headers?: Record<string, string | number>;
  body?: string | Buffer | Readable;
}

/** JSON as a client sent it. */
// biome-ignore lint/suspicious/noExplicitAny: what AWS takes has a hundred shapes, and an operation refuses what it cannot use.
export type Json = Record<string, any>;

/** One operation of a JSON service: its input as parsed, its output as a value to be written as JSON. */
export type Operation = (input: Json, request: AwsRequest) => unknown;

/** One emulated service: answers a request, and says an error in its own protocol. */
export interface AwsService {
  answer(request: AwsRequest): Promise<AwsReply>;
  explain(error: AwsError, request: { path: string }): AwsReply;
}

/** An error that the client's SDK turns into its typed one, by `code`. */
export class AwsError extends Error {
  override name = "AwsError";
  readonly code: string;
  readonly status: number;
  /** The code that SQS had in its older query protocol, by which the SDK still names the error. */
  readonly queryCode: string | undefined;
  constructor(
    code: string,
    message: string,
    { status = 400, queryCode }: { status?: number; queryCode?: string } = {},
  ) {
    super(message);
    this.code = code;
    this.status = status;
    this.queryCode = queryCode;
  }
}

export const account = "000000000000";

/** Refuses what a web page sends: browsers name the page in `Origin`, and no SDK sends that. */
export function refuseBrowsers(headers: IncomingHttpHeaders): void {
  if (headers.origin !== undefined)
    throw new AwsError("AccessDeniedException", "Web pages have no access", { status: 403 });
}

const largestBody = 4 * 1024 * 1024;

/** Reads a body whole; refuses one that no JSON service of AWS would take. */
export async function readAll(body: Readable, limit = largestBody): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limit) throw new AwsError("RequestEntityTooLarge", "The request is too large", { status: 413 });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Reads a JSON object, `{}` when there is no body. */
export async function readJson(request: AwsRequest): Promise<Json> {
  const text = (request.whole ?? (await readAll(request.body))).toString();
  if (text === "") return {};
  try {
    const value = JSON.parse(text);
    if (value !== null && typeof value === "object" && !Array.isArray(value)) return value;
  } catch {
    // Said below, for both kinds of bad input.
  }
  throw new AwsError("SerializationException", "The body is not a JSON object");
}

/** The operation of an AWS JSON request: "AmazonSQS.SendMessage" -> "SendMessage". */
export const operationOf = (request: AwsRequest): string =>
  String(request.headers["x-amz-target"] ?? "")
    .split(".")
    .at(-1) ?? "";

/** An answer of the AWS JSON and REST-JSON protocols. */
export const jsonReply = (value: unknown, status = 200, contentType = "application/json"): AwsReply => ({
  status,
  headers: { "content-type": contentType },
  body: JSON.stringify(value),
});

/** An error of the AWS JSON and REST-JSON protocols; the SDK reads the type from the header or from `__type`. */
export const jsonError = (error: AwsError, namespace = ""): AwsReply => ({
  status: error.status,
  headers: {
    "content-type": "application/json",
    "x-amzn-errortype": error.code,
    ...(error.queryCode && { "x-amzn-query-error": `${error.queryCode};Sender` }),
  },
  body: JSON.stringify({ __type: `${namespace}${error.code}`, message: error.message, Message: error.message }),
});
