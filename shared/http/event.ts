import type { APIGatewayProxyEventV2 } from "aws-lambda";
import type { Caller } from "../identity/caller.ts";

/** What a client is told of its limit. */
export interface RateState {
  limit: number;
  remaining: number;
  /** UNIX seconds. */
  reset: number;
}

/** API Gateway's payload-v2 event, with what the middleware adds. */
export interface HttpEvent extends APIGatewayProxyEventV2 {
  caller?: Caller;
  params?: Record<string, unknown>;
  ignored?: string[];
  /** How much of its limit the caller has left, where one is counted. */
  rate?: RateState;
  /** What is read while the account is. */
  beside?: Promise<unknown>;
}

/** What a handler may know of the HTTP request itself. */
export interface HttpRequest {
  /** The client program's name: the User-Agent's product, such as "ZulipMobile". */
  client: string;
  /** The caller's address. */
  sourceIp: string;
  /** Where the API is reached from outside, without a trailing slash. */
  baseUrl: string;
  /** The request's headers, names in lower case. */
  headers: Record<string, string | undefined>;
  /** The request's body as bytes. */
  body: () => Buffer;
  /** A parameter as it stands in the path or the query, unchecked; undefined where there is none. */
  sent: (name: string) => string | undefined;
}

export const httpRequest = (event: HttpEvent): HttpRequest => ({
  client: clientName(event.headers?.["user-agent"]),
  sourceIp: event.requestContext.http.sourceIp,
  baseUrl: `${event.headers?.["x-forwarded-proto"] ?? "https"}://${event.headers?.host ?? event.requestContext.domainName}`,
  headers: event.headers ?? {},
  body: () => Buffer.from(event.body ?? "", event.isBase64Encoded ? "base64" : "utf8"),
  sent: (name) => event.pathParameters?.[name] ?? new URLSearchParams(event.rawQueryString).get(name) ?? undefined,
});

const clientName = (userAgent = "") => userAgent.split("/")[0]?.trim().slice(0, 30) || "unknown";
