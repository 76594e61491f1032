import { type EndpointMember, loadFleet, pathOf } from "../../infra/fleet.ts";

/** The endpoints of the fleet, and those of which a test must know more than their declarations say. */

export const nameOf = ({ spec }: EndpointMember) => `${spec.method} ${spec.path}`;

/** What would end the organization in which all cases happen; it has cases on a host of its own. */
export const endsOrganization: ReadonlySet<string> = new Set(["POST /realm/deactivate"]);

/** Those of this host: where clients wait at wake-up queues there is one more, under the same declaration as `GET /events`. */
export const endpoints = (await loadFleet()).filter(
  (member): member is EndpointMember =>
    member.kind === "endpoint" && member.spec.waiting === undefined && !endsOrganization.has(nameOf(member)),
);

/** What takes its caller's account or key away; whoever calls one is good for no other call. */
export const endsCaller: Record<string, string> = {
  "DELETE /users/me": "deactivates its caller",
  "POST /users/me/api_key/regenerate": "takes its caller's key away",
};

/** An endpoint's path with `value` for each of its parts, encoded. */
export const pathWith = ({ spec }: EndpointMember, value: (name: string) => string): string =>
  pathOf(spec).replace(/\{(\w+)\+?\}/g, (_, name: string) => encodeURIComponent(value(name)));
