import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { HttpEvent } from "../../shared/http/event.ts";
import { originOf, proxiesIn } from "./proxies.ts";

/** A route that a request has been matched to. */
export interface MatchedRoute {
  /** "GET /api/v1/users/{user_id}", or "$default". */
  routeKey: string;
  pathParameters: Record<string, string>;
}

let proxies: ReturnType<typeof proxiesIn> | undefined;
const trustedProxies = () => {
  proxies ??= proxiesIn(process.env.SKEIN_TRUSTED_PROXIES ?? "");
  return proxies;
};

/** The payload-v2 event that API Gateway would make of a request to `url`. */
export function httpEvent(request: IncomingMessage, url: URL, body: Buffer, route: MatchedRoute): HttpEvent {
  const path = decoded(url.pathname);
  const { headers, sourceIp } = originOf(request, trustedProxies());
  const asText = isText(headers["content-type"]);
  const now = new Date();
  return {
    version: "2.0",
    routeKey: route.routeKey,
    rawPath: path,
    rawQueryString: url.search.slice(1),
    ...(headers.cookie && { cookies: headers.cookie.split(/;\s*/) }),
    headers: { "x-forwarded-proto": "http", ...headers },
    ...(Object.keys(route.pathParameters).length > 0 && { pathParameters: route.pathParameters }),
    ...(body.length > 0 && { body: body.toString(asText ? "utf8" : "base64") }),
    isBase64Encoded: body.length > 0 && !asText,
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

/** A request's target; one that is no path at all counts as one that nothing answers. */
export function urlOf({ url = "/" }: Pick<IncomingMessage, "url">): URL {
  return URL.parse(url.startsWith("/") ? `http://localhost${url}` : url) ?? new URL("http://localhost/*");
}

/** Bodies of other kinds, forms among them, API Gateway hands over in base64. */
const isText = (type = "") => /^(text\/|application\/(json|xml|javascript))/i.test(type);

export function decoded(part: string): string {
  // Looked for first: most have nothing to decode, and decoding takes longer than all else that is done with a path.
  if (!part.includes("%")) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
