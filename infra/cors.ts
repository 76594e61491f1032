/**
 * The CORS rules of API Gateway and of the local host: any origin may do what a program with credentials may do. There are
 * no cookies, so a page has no credentials but those that its user has entered there.
 */
export const cors = {
  origin: "*",
  methods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
  requestHeaders: ["Authorization", "Content-Type"],
  /** Response headers that a page may read in addition to the CORS-safelisted ones. */
  exposedHeaders: ["Retry-After", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"],
  /** How long a browser may cache a preflight's answer. */
  maxAgeSeconds: 86_400,
} as const;

interface RequestHeaders {
  [name: string]: string | string[] | undefined;
}

/** Whether this is a browser's CORS preflight. */
export const isPreflight = (method: string | undefined, headers: RequestHeaders): boolean =>
  method === "OPTIONS" && headers.origin !== undefined && headers["access-control-request-method"] !== undefined;

export const preflightHeaders = {
  "access-control-allow-origin": cors.origin,
  "access-control-allow-methods": cors.methods.join(","),
  "access-control-allow-headers": cors.requestHeaders.join(","),
  "access-control-max-age": String(cors.maxAgeSeconds),
};

/** The headers of a reply to a cross-origin request. */
export const corsHeaders = {
  "access-control-allow-origin": cors.origin,
  "access-control-expose-headers": cors.exposedHeaders.join(","),
};
