import { type EndpointMember, loadFleet, pathOf } from "../../infra/fleet.ts";

/** The endpoints of the fleet, and facts about some of them that do not follow from their declarations. */

export const nameOf = ({ spec }: EndpointMember) => `${spec.method} ${spec.path}`;

/** Endpoints that would end the organization of the tests; cases with private hosts cover them. */
const endsOrganization: ReadonlySet<string> = new Set(["POST /realm/deactivate"]);

/** The endpoints that every host has. A host with wake-up queues has one more, which is declared like `GET /events`. */
export const endpoints = (await loadFleet()).filter(
  (member): member is EndpointMember =>
    member.kind === "endpoint" && member.spec.waiting === undefined && !endsOrganization.has(nameOf(member)),
);

/** Endpoints that invalidate the caller's account or key; the caller cannot be used afterwards. */
export const endsCaller: Record<string, string> = {
  "DELETE /users/me": "deactivates its caller",
  "POST /users/me/api_key/regenerate": "takes its caller's key away",
};

/** An endpoint's path with each parameter replaced by `value`, encoded. */
export const pathWith = ({ spec }: EndpointMember, value: (name: string) => string): string =>
  pathOf(spec).replace(/\{(\w+)\+?\}/g, (_, name: string) => encodeURIComponent(value(name)));
