import { type EndpointMember, pathOf, refusedRoutes, type UnloadedEndpoint } from "../fleet.ts";
import { decoded, type MatchedRoute } from "./http-event.ts";

/**
 * Matches requests to endpoints as API Gateway does: literal segments take precedence over parameters. A request that matches no
 * endpoint, or a route that is refused, goes to the fallback.
 */
export function router<Endpoint extends EndpointMember | UnloadedEndpoint>(endpoints: readonly Endpoint[]) {
  const declared = endpoints.map((member) => ({ member, method: member.spec.method, path: pathOf(member.spec) }));
  const refused = refusedRoutes(endpoints).map((route) => ({ ...route, member: undefined }));
  const routes = [...declared, ...refused]
    .map((route) => ({ ...route, parts: route.path.split("/"), greedy: route.path.endsWith("+}") }))
    .sort((a, b) => specificity(b.parts) - specificity(a.parts));
  const routesByMethod = Map.groupBy(routes, ({ method }) => method as string);
  return (method: string, pathname: string): { member: Endpoint; route: MatchedRoute } | undefined => {
    const segments = pathname.split("/");
    // HEAD is routed like GET; Node's server omits the body.
    const routedMethod = method === "HEAD" ? "GET" : method;
    for (const { member, path, parts, greedy } of routesByMethod.get(routedMethod) ?? []) {
      if (greedy ? segments.length < parts.length : segments.length !== parts.length) continue;
      const pathParameters = matchSegments(parts, segments, greedy);
      if (pathParameters) return member && { member, route: { routeKey: `${routedMethod} ${path}`, pathParameters } };
    }
    return undefined;
  };
}

const isParameter = (part: string) => part.startsWith("{");

/** Orders routes: a literal segment counts more the earlier it is. */
const specificity = (parts: string[]) => parts.reduce((sum, part) => sum * 2 + (isParameter(part) ? 0 : 1), 0);

function matchSegments(parts: string[], segments: string[], greedy: boolean): Record<string, string> | undefined {
  const parameters: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    const value = greedy && isLast ? segments.slice(index).join("/") : (segments[index] ?? "");
    if (!isParameter(part)) {
      if (part !== value) return undefined;
    } else {
      if (value === "") return undefined;
      parameters[part.slice(1, greedy && isLast ? -2 : -1)] = decoded(value);
    }
  }
  return parameters;
}
