import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";

/** A request whose signature has been verified. */
export interface AwsRequest {
  method: string;
  /** As sent, still percent-encoded. */
  path: string;
  query: Map<string, string>;
  headers: IncomingHttpHeaders;
  body: Readable;
  /** The body, if it was read to verify the signature; undefined for S3, which streams `body`. */
  bufferedBody: Buffer | undefined;
  region: string;
  /** The emulator's URL as the client addressed it, without a final slash. */
  origin: string;
  /** Aborts when the client disconnects or the emulator stops; created on first use. */
  readonly disconnected: AbortSignal;
}

export interface AwsReply {
  status: number;
  headers?: Record<string, string | number>;
  body?: string | Buffer | Readable;
}

/** JSON as a client sent it. */
// biome-ignore lint/suspicious/noExplicitAny: AWS inputs have many shapes, and each operation validates the fields that it uses.
export type Json = Record<string, any>;

/** One operation of a JSON service: takes the parsed input, returns the output to be serialized. */
export type Operation = (input: Json, request: AwsRequest) => unknown;

/** One emulated service: answers requests, and formats errors in its own protocol. */
export interface AwsService {
  answer(request: AwsRequest): Promise<AwsReply>;
  formatError(error: AwsError, request: { path: string }): AwsReply;
}

/** An error that the client's SDK maps to its typed error by `code`. */
export class AwsError extends Error {
  override name = "AwsError";
  readonly code: string;
  readonly status: number;
  /** The code of SQS's older query protocol, by which the SDK still names the error. */
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

/** The account ID in the ARNs and URLs of emulated resources. */
export const account = "000000000000";

/** Throws 403 for requests of web pages: browsers send `Origin`, and no SDK does. */
export function refuseBrowsers(headers: IncomingHttpHeaders): void {
  if (headers.origin !== undefined)
    throw new AwsError("AccessDeniedException", "Web pages have no access", { status: 403 });
}

const maxBodyBytes = 4 * 1024 * 1024;

/** Reads a body into memory; throws if it is larger than `maxBytes`, with status 413. */
export async function readAll(body: Readable, maxBytes = maxBodyBytes): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw new AwsError("RequestEntityTooLarge", "The request is too large", { status: 413 });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Reads a JSON object, `{}` when there is no body; throws SerializationException for anything else. */
export async function readJson(request: AwsRequest): Promise<Json> {
  const text = (request.bufferedBody ?? (await readAll(request.body))).toString();
  if (text === "") return {};
  try {
    const value = JSON.parse(text);
    if (value !== null && typeof value === "object" && !Array.isArray(value)) return value;
  } catch {
    // The error below covers invalid JSON too.
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
