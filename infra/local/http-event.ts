import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { HttpEvent } from "../../shared/services/http/event.ts";
import { isAmong, originOf, parseProxies } from "./proxies.ts";

/** The route that a request matches. */
export interface MatchedRoute {
  /** "GET /api/v1/users/{user_id}", or "$default". */
  routeKey: string;
  pathParameters: Record<string, string>;
}

let proxies: ReturnType<typeof parseProxies> | undefined;
const trustedProxies = () => {
  proxies ??= parseProxies(process.env.SKEIN_TRUSTED_PROXIES ?? "");
  return proxies;
};

/** Whether a connection may be of any number of clients. */
export const isTrustedProxy = (address: string): boolean => isAmong(trustedProxies(), address);

/** The event (payload format 2.0) that API Gateway would send for a request to `url` without a body. */
export function httpEvent(request: IncomingMessage, url: URL, route: MatchedRoute): HttpEvent {
  const path = decoded(url.pathname);
  const { headers, sourceIp } = originOf(request, trustedProxies());
  const now = new Date();
  return {
    version: "2.0",
    routeKey: route.routeKey,
    rawPath: path,
    rawQueryString: url.search.slice(1),
    ...(headers.cookie && { cookies: headers.cookie.split(/;\s*/) }),
    headers: { "x-forwarded-proto": "http", ...headers },
    ...(Object.keys(route.pathParameters).length > 0 && { pathParameters: route.pathParameters }),
    isBase64Encoded: false,
    requestContext: {
      accountId: "000000000000",
      apiId: "local",
      domainName: headers.host ?? "127.0.0.1",
      domainPrefix: "local",
      http: {
        method: request.method ?? "GET",
        path,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp,
        userAgent: headers["user-agent"] ?? "",
      },
      requestId: randomUUID(),
      routeKey: route.routeKey,
      stage: "$default",
      time: now.toISOString(),
      timeEpoch: now.getTime(),
    },
  };
}

/** The event of a request that has a body. */
export function withBody(event: HttpEvent, body: Buffer): HttpEvent {
  if (body.length === 0) return event;
  const asText = isText(event.headers?.["content-type"]);
  return { ...event, body: body.toString(asText ? "utf8" : "base64"), isBase64Encoded: !asText };
}

/** A request's URL; an invalid one becomes a path that matches no route. */
export function urlOf({ url = "/" }: Pick<IncomingMessage, "url">): URL {
  return URL.parse(url.startsWith("/") ? `http://localhost${url}` : url) ?? new URL("http://localhost/*");
}

/** Whether API Gateway passes a body of this type as text; it encodes all others, including forms, as base64. */
const isText = (type = "") => /^(text\/|application\/(json|xml|javascript))/i.test(type);

/** Decodes percent-encoding; returns text with an invalid encoding unchanged. */
export function decoded(part: string): string {
  // Fast path: most paths have nothing to decode, and decoding is the slowest step of routing.
  if (!part.includes("%")) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
