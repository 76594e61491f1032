import { createHash } from "node:crypto";
import type { Construct } from "constructs";
import type { Route } from "../../shared/http/fallback.ts";
import { type FleetMember, pathOf, routeIdentity } from "../fleet.ts";

/**
 * The names by which CloudFormation knows functions and routes, and the nested stacks in which they are. Both follow from what a function
 * serves, and not from its file: CloudFormation creates before it deletes, and API Gateway refuses a route that it still has, so
 * that an upgrade could not move a file if its route moved with it.
 */

/** The construct ID of a route, whatever function answers it. */
export const routeId = (route: Route): string => routeIdentity(route).replaceAll("/", " ");

/** The construct ID of a function. */
export function memberId(member: FleetMember): string {
  switch (member.kind) {
    case "endpoint":
      return routeId({ method: member.spec.method, path: pathOf(member.spec) });
    case "worker":
      return `worker ${member.spec.queue}`;
    case "recurring":
      return `recurring ${member.spec.work}`;
    case "connection":
      return `connection ${member.spec.route}`;
    case "follower":
      return `follower ${member.name}`;
    case "fallback":
      return "fallback";
  }
}

/**
 * How many nested stacks there are. Another number moves routes between them, which no upgrade of a deployed fleet survives. In each, routes
 * are created one after another: API Gateway's control plane allows an account ten operations a second, in bursts of 40, and
 * CloudFormation fails a stack that is throttled for long.
 */
export const stackCount = 10;

/** The index of the nested stack of a construct ID. */
export const stackIndexOf = (id: string): number =>
  createHash("sha256").update(id).digest().readUInt32BE() % stackCount;

/** Lets the routes of a stack, with their integrations, be created one after another; their functions do not wait. */
export function createInOrder(routes: readonly Construct[]): void {
  for (const [index, route] of routes.entries()) {
    const previous = routes[index - 1];
    if (previous) route.node.addDependency(previous);
  }
}
