import type { APIGatewayProxyEventV2 } from "aws-lambda";
import type { Caller } from "../identity/caller.ts";
import { formFields, sentFields } from "./read-params.ts";

/** A client's rate limit, for the headers of the reply. */
export interface RateState {
  limit: number;
  remaining: number;
  /** UNIX seconds. */
  reset: number;
}

/** A file of a form, wherever its content is. */
export interface ReceivedFile {
  /** Chosen by the client, and not validated. */
  name: string;
  /** Bytes. */
  size: number;
  /** A part of the content, from `start` to before `end`, or to the end of the file. */
  read(start: number, end: number): Promise<Uint8Array>;
}

/** API Gateway's event (payload format 2.0), with the fields that the middleware adds. */
export interface HttpEvent extends APIGatewayProxyEventV2 {
  caller?: Caller;
  /** The names of parameters that were sent but not declared. */
  ignored?: string[];
  /** The state of the caller's rate limit, if the request is counted. */
  rate?: RateState;
  /** Whether the request was counted, and is within the limit. */
  isCounted?: boolean;
  /** The files of a form that the host has read while it arrived; its text fields are the body. */
  files?: readonly ReceivedFile[];
}

export interface HttpRequest {
  /** The client program's name: the User-Agent's product, such as "ZulipMobile". */
  client: string;
  sourceIp: string;
  /** The server's URL as the client reached it, without a trailing slash. */
  baseUrl: string;
  /** The request's headers, names in lower case. */
  headers: Record<string, string | undefined>;
  /** The query string, not decoded, without the question mark. */
  rawQuery: string;
  /** The request's cookies, each as "name=value". */
  cookies: readonly string[];
  /** The form's files, if the host has read it while it arrived. */
  files?: readonly ReceivedFile[] | undefined;
  /** The request's body as bytes. */
  body: () => Buffer;
  /** A parameter of the path, the form or the query, not validated. A long form is not parsed: its parameters are undefined. */
  rawParameter: (name: string) => string | undefined;
}

/** API Gateway passes cookies in a field of their own; the gateways of other hosts leave them in the header. */
export const cookiesIn = ({ cookies, headers }: HttpEvent): string[] =>
  (cookies ?? headers?.cookie?.split(";") ?? []).map((cookie) => cookie.trim());

/** The server's URL as the client reached it, without a trailing slash. */
export const baseUrlOf = ({ headers, requestContext }: HttpEvent): string =>
  `${headers?.["x-forwarded-proto"] ?? "https"}://${headers?.host ?? requestContext.domainName}`;

export function httpRequest(event: HttpEvent): HttpRequest {
  const body = () => Buffer.from(event.body ?? "", event.isBase64Encoded ? "base64" : "utf8");
  let sent: Map<string, string> | undefined;
  return {
    client: clientName(event.headers?.["user-agent"]),
    sourceIp: event.requestContext.http.sourceIp,
    baseUrl: baseUrlOf(event),
    headers: event.headers ?? {},
    rawQuery: event.rawQueryString,
    cookies: cookiesIn(event),
    files: event.files,
    body,
    rawParameter: (name) => {
      sent ??= rawFields(event, body);
      return event.pathParameters?.[name] ?? sent.get(name);
    },
  };
}

/** The maximum length of a form, as encoded in the event. Only forms with long messages exceed it. */
const maxRawFormCharacters = 64 * 1024;

/** The fields of the form body and of the query. This runs before authentication, so it parses only short forms. */
function rawFields(event: HttpEvent, body: () => Buffer): Map<string, string> {
  const isForm = event.headers?.["content-type"]?.startsWith("application/x-www-form-urlencoded") === true;
  const form = isForm && (event.body ?? "").length <= maxRawFormCharacters ? body().toString() : "";
  try {
    return sentFields(event.rawQueryString, formFields(form));
  } catch {
    // There are too many parameters. `readParams` tells the client.
    return new Map();
  }
}

const clientName = (userAgent = "") => userAgent.split("/")[0]?.trim().slice(0, 30) || "unknown";
