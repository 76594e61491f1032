import { createHash } from "node:crypto";
import type { Route } from "../../shared/services/http/fallback.ts";
import { type EndpointMember, type FallbackMember, type FleetMember, pathOf, routeIdentity } from "../fleet.ts";

/**
 * The names by which CloudFormation and API Gateway know functions, and the nested stacks in which they are. Both follow from what a
 * function serves, and not from its file: an upgrade can move and rename files, and its functions remain.
 */

/** The construct ID of a route's function. */
const routeId = (route: Route): string => routeIdentity(route).replaceAll("/", " ");

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

/** Lambda's limit for the name of a function. */
const maxNameLength = 64;
/** Leaves room for a route. Longer names of fleets are cut, with a hash of the whole. */
const maxFleetLength = 24;

const hashOf = (text: string, length: number) => createHash("sha256").update(text).digest("hex").slice(0, length);

/** A fleet's name in the names of its functions. */
const shortName = (fleet: string) =>
  fleet.length > maxFleetLength ? `${fleet.slice(0, maxFleetLength - 7)}-${hashOf(fleet, 6)}` : fleet;

/** What the names of the functions that API Gateway invokes begin with. No fleet's name has an underscore. */
const invokedPrefix = (fleet: string) => `${shortName(fleet)}_`;

/** The name of recurring work's function that other functions start: their stacks, and its own, know it before it exists. */
export const startedFunctionName = (fleet: string, work: string): string => `${shortName(fleet)}-run-${work}`;

/** Matches the names of all functions that API Gateway invokes for a fleet, and those of no other. */
export const invokedFunctions = (fleet: string): string => `${invokedPrefix(fleet)}*`;

/**
 * The name of a function that API Gateway invokes, unique in an account and region. It follows from the route, so that an upgrade
 * moves a file without another function, which CloudFormation could not create beside the former.
 */
export function invokedFunctionName(fleet: string, member: EndpointMember | FallbackMember): string {
  const id = memberId(member);
  const [prefix, suffix] = [invokedPrefix(fleet), `_${hashOf(id, 10)}`];
  const words =
    id
      .replace(" api v1 ", " ")
      .replaceAll(/\{\+?\}/g, "x")
      .match(/[A-Za-z0-9]+/g) ?? [];
  return prefix + words.join("-").slice(0, maxNameLength - prefix.length - suffix.length) + suffix;
}

/**
 * How many nested stacks there are: a stack has at most 500 resources, and a template one megabyte. Another number moves functions between
 * them, which no upgrade of a deployed fleet survives, because their names are taken.
 */
export const stackCount = 2;

/** The index of the nested stack of a construct ID. */
export const stackIndexOf = (id: string): number =>
  createHash("sha256").update(id).digest().readUInt32BE() % stackCount;
