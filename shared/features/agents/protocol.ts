import { ApiError } from "../../base/errors.ts";
import { hasMoreValuesThan, parseJson } from "../../base/schema/text.ts";
import type { HttpRequest } from "../../services/http/event.ts";
import { isFromOwnPage } from "../../services/http/page.ts";
import { RawReply } from "../../services/http/raw-reply.ts";

/** The Model Context Protocol's messages over HTTP (https://modelcontextprotocol.io/specification): JSON-RPC 2.0, without sessions. */

/** The newest first. They are the same in all that this server answers. */
const protocolVersions = ["2025-11-25", "2025-06-18", "2025-03-26"] as const;
const [newestVersion] = protocolVersions;

/** Enough for a file of 500,000 bytes in Base64. */
const maxFrameBytes = 768 * 1024;
const maxFrameValues = 5000;
const maxIdLength = 200;

const codes = { parse: -32700, request: -32600, method: -32601, params: -32602, resource: -32002 } as const;

/** An error that is refused as a whole: JSON-RPC's code is rendered in a reply without an ID. */
const rpcError = (rpcCode: number, message: string, name: "BAD_REQUEST" | "BAD_REQUEST 413" = "BAD_REQUEST") =>
  new ApiError(name, message, { rpcCode });

/** JSON-RPC's form of errors that concern the frame; others stay in the envelope, such as those of credentials and of rate limits. */
export async function renderRpcError({ status, message, extra: { rpcCode } }: ApiError): Promise<RawReply | undefined> {
  if (typeof rpcCode !== "number") return undefined;
  return errorReply(status, rpcCode, message);
}

const errorReply = (status: number, code: number, message: string): RawReply =>
  jsonReply(status, { jsonrpc: "2.0", id: null, error: { code, message } });

const jsonReply = (status: number, body: object): RawReply =>
  new RawReply(
    status,
    { "content-type": "application/json", "cache-control": "private, no-store" },
    Buffer.from(JSON.stringify(body)),
  );

interface Frame {
  /** Absent in what needs no reply. */
  id?: string | number;
  /** Absent in a reply of the client. */
  method?: string;
  params: Record<string, unknown>;
}

/** What answers each of the protocol's methods; the result may be an error (`rpcFailure`). */
export type Methods = ReadonlyMap<string, (params: Record<string, unknown>) => Promise<object>>;

export const rpcFailure = (code: keyof typeof codes, message: string) => ({ error: { code: codes[code], message } });

/** Answers a request, or throws what its sender has done wrong. */
export async function answerFrame(request: HttpRequest, instructions: string, methods: Methods): Promise<RawReply> {
  if (!isFromOwnPage(request)) return errorReply(403, codes.request, "Pages of other sites may not call");
  const { id, method, params } = readFrame(request);
  // Replies and notifications concern what a server without sessions does not do.
  if (id === undefined || method === undefined) return new RawReply(202, { "cache-control": "private, no-store" });
  const result = await resultOf(method, params, instructions, methods);
  return jsonReply(200, { jsonrpc: "2.0", id, ...("error" in result ? result : { result }) });
}

async function resultOf(
  method: string,
  params: Record<string, unknown>,
  instructions: string,
  methods: Methods,
): Promise<object> {
  if (method === "ping") return {};
  if (method === "initialize") {
    const known = protocolVersions.find((version) => version === params.protocolVersion);
    return {
      protocolVersion: known ?? newestVersion,
      capabilities: { tools: {}, resources: {}, prompts: {} },
      serverInfo: { name: "skein", title: "Skein", version: "1" },
      instructions,
    };
  }
  const answer = methods.get(method);
  return answer ? answer(params) : rpcFailure("method", "There is no such method");
}

function readFrame(request: HttpRequest): Frame {
  const version = request.headers["mcp-protocol-version"];
  if (version !== undefined && !(protocolVersions as readonly string[]).includes(version))
    throw rpcError(codes.request, `Unsupported protocol version (supported: ${protocolVersions.join(", ")})`);
  const body = request.body();
  if (body.length > maxFrameBytes)
    throw rpcError(codes.request, `The request is too long (limit: ${maxFrameBytes} bytes)`, "BAD_REQUEST 413");
  const frame = parseJson(body.toString("utf8"));
  if (frame === undefined) throw rpcError(codes.parse, "The body is not JSON");
  if (!isObject(frame) || frame.jsonrpc !== "2.0" || hasMoreValuesThan(maxFrameValues, frame))
    throw rpcError(codes.request, "The body is not a request of JSON-RPC 2.0");
  const { id, method, params = {} } = frame;
  if (id !== undefined && !isId(id)) throw rpcError(codes.request, "id must be a short string or an integer");
  if (method !== undefined && typeof method !== "string") throw rpcError(codes.request, "method must be a string");
  if (!isObject(params)) throw rpcError(codes.params, "params must be an object");
  if (method === undefined && !("result" in frame || "error" in frame))
    throw rpcError(codes.request, "method is missing");
  return { ...(isId(id) && { id }), ...(method !== undefined && { method }), params };
}

const isId = (id: unknown): id is string | number =>
  Number.isSafeInteger(id) || (typeof id === "string" && id.length <= maxIdLength);

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
