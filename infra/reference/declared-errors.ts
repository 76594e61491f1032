import type { ErrorName } from "../../shared/base/errors.ts";
import type { EndpointSpec } from "../../shared/services/http/endpoint.ts";

/**
 * The errors of every endpoint: an unparsable or too large request, too many requests, an internal error, an overloaded AWS
 * service, a timeout.
 */
const commonErrors: readonly ErrorName[] = [
  "BAD_REQUEST",
  "BAD_REQUEST 413",
  "RATE_LIMIT_HIT",
  "INTERNAL_SERVER_ERROR",
  "SERVICE_UNAVAILABLE",
  "REQUEST_TIMED_OUT",
];

/** The errors that an endpoint may answer: its `errors`, and those that follow from the rest of its declaration. */
export function declaredErrors({ caller, method, path, params, returns, errors = [] }: EndpointSpec): ErrorName[] {
  const inPath = (name: string) => new RegExp(`\\{${name}\\+?\\}`).test(path);
  const mayLackParameter = Object.entries(params).some(([name, { required }]) => required && !inPath(name));
  return [
    ...commonErrors,
    ...(caller === "anyone" ? [] : (["UNAUTHORIZED", "REALM_DEACTIVATED"] as const)),
    ...(caller === "admin" || caller === "owner" ? (["UNAUTHORIZED_PRINCIPAL"] as const) : []),
    // Without a token the path is as if it were absent; with one, the object may be.
    ...(caller === "scim" ? (["NOT_FOUND"] as const) : []),
    // The name, address or external ID of another.
    ...(caller === "scim" && ["POST", "PUT", "PATCH"].includes(method) ? (["BAD_REQUEST 409"] as const) : []),
    ...(mayLackParameter ? (["REQUEST_VARIABLE_MISSING"] as const) : []),
    // A long reply is sent to a client only if that client accepts gzip.
    ...(returns === "raw" ? [] : (["BAD_REQUEST 406"] as const)),
    ...errors,
  ];
}
