/**
 * What API Gateway, and the local host in its place, lets web pages of other origins do: everything that a program may do
 * that sends its own credentials. There are no cookies, so a page gets nothing that its user has not typed into it.
 */
export const cors = {
  origin: "*",
  methods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
  /** Headers that a page may send. */
  requestHeaders: ["Authorization", "Content-Type"],
  /** Headers of a reply that a page may read besides the harmless ones. */
  exposedHeaders: ["Retry-After", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"],
  /** For how long a browser need not ask again. */
  maxAgeSeconds: 86_400,
} as const;

interface Headers {
  [name: string]: string | string[] | undefined;
}

/** A browser's question whether a page may send a request. */
export const isPreflight = (method: string | undefined, headers: Headers): boolean =>
  method === "OPTIONS" && headers.origin !== undefined && headers["access-control-request-method"] !== undefined;

/** The answer to a preflight, which has no body. */
export const preflightHeaders = {
  "access-control-allow-origin": cors.origin,
  "access-control-allow-methods": cors.methods.join(","),
  "access-control-allow-headers": cors.requestHeaders.join(","),
  "access-control-max-age": String(cors.maxAgeSeconds),
};

/** What the reply to a page's own request carries. */
export const corsHeaders = {
  "access-control-allow-origin": cors.origin,
  "access-control-expose-headers": cors.exposedHeaders.join(","),
};
