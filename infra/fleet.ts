import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Uses } from "../shared/base/uses.ts";
import type { ConnectionRouteSpec } from "../shared/services/connections/connection-route.ts";
import type { EndpointSpec } from "../shared/services/http/endpoint.ts";
import type { HttpEvent } from "../shared/services/http/event.ts";
import type { Route } from "../shared/services/http/fallback.ts";
import type { FollowerSpec } from "../shared/services/jobs/log-follower.ts";
import type { RecurringSpec } from "../shared/services/jobs/recurring.ts";
import type { WorkerSpec } from "../shared/services/jobs/worker.ts";
import type { WaitingMode } from "./waiting.ts";

/** A function of the fleet: its file, its declaration (`spec`) and its handler. */
interface MemberOf<Kind extends string, Spec> {
  /** The verb and noun: "send-message". */
  name: string;
  /** The folder in `functions/`: "messages". */
  resource: string;
  /** The absolute path of its file. */
  file: string;
  kind: Kind;
  spec: Spec;
  // biome-ignore lint/suspicious/noExplicitAny: each kind of function takes a different event, which its host creates.
  handler: (event: any, context?: any) => Promise<any>;
}

export type EndpointMember = MemberOf<"endpoint", EndpointSpec> & {
  /** Throws unless the event's caller may call the endpoint. */
  handler: { admit: (event: HttpEvent) => Promise<void> };
};
export type WorkerMember = MemberOf<"worker", WorkerSpec>;
/** Runs when the table's stream has new entries of the log. */
export type FollowerMember = MemberOf<"follower", FollowerSpec>;
/** Runs at a fixed rate. */
export type RecurringMember = MemberOf<"recurring", RecurringSpec>;
/** Runs when a client connects to the WebSocket API, or sends a message by its connection. */
export type ConnectionMember = MemberOf<"connection", ConnectionRouteSpec>;
/** Answers requests that match no route. */
export type FallbackMember = MemberOf<"fallback", { uses: Uses }>;
export type FleetMember =
  | EndpointMember
  | WorkerMember
  | FollowerMember
  | RecurringMember
  | ConnectionMember
  | FallbackMember;

/** An endpoint that is loaded at its first request; until then only its route is known. */
export type UnloadedEndpoint = Pick<EndpointMember, "name" | "resource" | "file" | "kind"> & {
  spec: Pick<EndpointSpec, "method" | "path" | "prefix">;
  load(): Promise<EndpointMember>;
};

const kinds = new Set(["endpoint", "worker", "follower", "recurring", "connection", "fallback"]);

/** The default prefix of endpoints' paths. */
export const apiPrefix = "/api/v1";

/** An endpoint's whole path, in API Gateway's notation. */
export const pathOf = ({ prefix, path }: Pick<EndpointSpec, "prefix" | "path">): string => (prefix ?? apiPrefix) + path;

/** An endpoint's route key of API Gateway, such as "GET /api/v1/users/{user_id}". */
export const routeKeyOf = (spec: Pick<EndpointSpec, "method" | "prefix" | "path">): string =>
  `${spec.method} ${pathOf(spec)}`;

/** A route without the names of its variables: API Gateway treats routes that differ only in these as the same. */
export const routeIdentity = ({ method, path }: Route): string =>
  `${method} ${path.replaceAll(/\{[^}+]*(\+?)\}/g, "{$1}")}`;

/** Loads the functions of the repository at `root`, sorted by resource and name; throws if one could not be deployed. */
export async function loadFleet(root: string = resolve(import.meta.dirname, "..")): Promise<FleetMember[]> {
  const fleet = await Promise.all(filesIn(root).map((file) => loadMember(root, file)));
  checkUnique(root, fleet);
  expandSendsToEveryQueue(fleet);
  return fleet;
}

/**
 * Like `loadFleet`, but without loading endpoints whose routes are literally in their files: together these take half of the time and of
 * the memory of a host that starts.
 */
export async function openFleet(root: string = resolve(import.meta.dirname, "..")) {
  const fleet = await Promise.all(filesIn(root).map((file) => findUnloaded(root, file) ?? loadMember(root, file)));
  checkUnique(root, fleet);
  const loaded = fleet.filter((member): member is FleetMember => !isUnloaded(member));
  expandSendsToEveryQueue(loaded);
  return { loaded, unloaded: fleet.filter(isUnloaded) };
}

/** The endpoints alone, of which only those are loaded whose routes are not literally in their files. */
export async function openEndpoints(
  root: string = resolve(import.meta.dirname, ".."),
): Promise<(EndpointMember | UnloadedEndpoint)[]> {
  const files = filesIn(root).filter((file) =>
    /^export const handler = (?:endpoint|changeEndpoint)\(/m.test(readFileSync(file, "utf8")),
  );
  return Promise.all(
    files.map(async (file) => findUnloaded(root, file) ?? ((await loadMember(root, file)) as EndpointMember)),
  );
}

function filesIn(root: string): string[] {
  const folder = resolve(root, "functions");
  if (!existsSync(folder)) throw new Error(`There is no folder functions in ${root}`);
  return readdirSync(folder, { withFileTypes: true })
    .filter((resource) => resource.isDirectory())
    .flatMap(({ name }) => readdirSync(join(folder, name)).map((file) => join(folder, name, file)))
    .filter((file) => file.endsWith(".ts"))
    .sort();
}

/** Undefined if the file's text does not show the endpoint's route, or shows more that a host must know before a request. */
function findUnloaded(root: string, file: string): UnloadedEndpoint | undefined {
  const [, declaration = ""] =
    /^export const handler = (?:endpoint|changeEndpoint)\(\n {2}\{\n(.*?\n) {2}\},\n/ms.exec(
      readFileSync(file, "utf8"),
    ) ?? [];
  const [, method] = /^ {4}method: "(\w+)",$/m.exec(declaration) ?? [];
  const [, path] = /^ {4}path: "([^"]+)",$/m.exec(declaration) ?? [];
  if (
    !method ||
    !path ||
    /^ {4}(\.\.\.(?!pageSpec|scimSpec)|waiting:)|sendsToEveryQueue|^ {4}prefix: (?!"",$)/m.test(declaration)
  )
    return undefined;
  // Pages and SCIM share declarations, in which they are outside of the API's prefix.
  const isOutside = /^ {4}(prefix: |\.\.\.(pageSpec|scimSpec),$)/m.test(declaration);
  const spec = { method: method as EndpointSpec["method"], path, ...(isOutside && { prefix: "" as const }) };
  let member: Promise<FleetMember> | undefined;
  return {
    ...placeOf(file),
    kind: "endpoint",
    spec,
    load: () => {
      member ??= loadMember(root, file);
      return member as Promise<EndpointMember>;
    },
  };
}

const placeOf = (file: string) => ({ name: basename(file, ".ts"), resource: basename(dirname(file)), file });

async function loadMember(root: string, file: string): Promise<FleetMember> {
  const { handler } = (await import(pathToFileURL(file).href)) as { handler?: unknown };
  if (!isDeclared(handler)) {
    throw new Error(
      `${relative(root, file)} exports no handler = endpoint(...), worker(...), recurring(...), logFollower(...), connectionRoute(...) or fallback()`,
    );
  }
  const { kind, spec } = handler;
  return { ...placeOf(file), kind, spec, handler } as unknown as FleetMember;
}

const isDeclared = (handler: unknown): handler is Pick<FleetMember, "kind" | "spec"> & (() => void) =>
  typeof handler === "function" && "kind" in handler && kinds.has(String(handler.kind)) && "spec" in handler;

/** Replaces `sendsToEveryQueue` with the names of the queues, which are only known once the whole fleet is loaded. */
function expandSendsToEveryQueue(fleet: readonly FleetMember[]): void {
  const sends = fleet.filter(isWorker).map(({ spec }) => spec.queue);
  for (const { spec } of fleet) if (spec.uses.sendsToEveryQueue) spec.uses = { ...spec.uses, sends };
}

type KnownMember = FleetMember | UnloadedEndpoint;

function checkUnique(root: string, fleet: readonly KnownMember[]): void {
  const owners = new Map<string, string>();
  for (const member of fleet) {
    const file = relative(root, member.file);
    for (const name of exclusiveNamesOf(member)) {
      const owner = owners.get(name);
      if (owner) throw new Error(`${file} and ${owner} both declare ${name}`);
      owners.set(name, file);
    }
  }
  checkVariables(root, fleet);
}

/** OpenAPI, and so API Gateway's import, has no two paths that differ in the names of their variables only. */
function checkVariables(root: string, fleet: readonly KnownMember[]): void {
  const named = new Map<string, { path: string; file: string }>();
  for (const { file, spec } of fleet.filter(({ kind }) => kind === "endpoint")) {
    const path = pathOf(spec as EndpointSpec);
    const identity = routeIdentity({ method: "", path });
    const other = named.get(identity) ?? { path, file };
    named.set(identity, other);
    if (other.path !== path)
      throw new Error(
        `${relative(root, file)} and ${relative(root, other.file)} name the variables of one path differently: ${path} and ${other.path}`,
      );
  }
}

/** What only one function of a fleet may declare. */
function exclusiveNamesOf(member: KnownMember): string[] {
  if (member.kind === "endpoint") {
    return [`the route ${routeIdentity({ method: member.spec.method, path: pathOf(member.spec) })}`];
  }
  if (member.kind === "follower") return [`the log's follower ${member.resource}/${member.name}`];
  if (member.kind === "recurring") return [`the recurring work ${member.spec.work}`];
  if (member.kind === "connection") return [`the route ${member.spec.route} of connections`];
  if (member.kind === "fallback") return ["the $default route"];
  return [`the queue ${member.spec.queue}`, ...member.spec.works.map(({ kind }) => `the kind of job ${kind.name}`)];
}

export const isUnloaded = (member: KnownMember): member is UnloadedEndpoint => "load" in member;
export const isEndpoint = (member: FleetMember): member is EndpointMember => member.kind === "endpoint";
export const isWorker = (member: FleetMember): member is WorkerMember => member.kind === "worker";
export const isFollower = (member: FleetMember): member is FollowerMember => member.kind === "follower";
export const isRecurring = (member: FleetMember): member is RecurringMember => member.kind === "recurring";
export const isConnection = (member: FleetMember): member is ConnectionMember => member.kind === "connection";
export const isFallback = (member: FleetMember): member is FallbackMember => member.kind === "fallback";

/** The routes of the fleet's endpoints, in API Gateway's notation. */
export const routesOf = (fleet: readonly KnownMember[]): Route[] =>
  fleet.flatMap((member) =>
    member.kind === "endpoint" ? [{ method: member.spec.method, path: pathOf(member.spec) }] : [],
  );

/**
 * The methods that a path lacks and a parameter of another route would capture, such as `GET /messages/render` beside
 * `GET /messages/{message_id}`. These routes lead to the fallback, which answers with 405.
 */
export function refusedRoutes(fleet: readonly KnownMember[]): Route[] {
  const routes = routesOf(fleet).map((route) => ({ ...route, parts: route.path.split("/") }));
  const capturing = routes.filter(({ path }) => path.includes("{"));
  const declared = new Set(routes.map(({ method, path }) => `${method} ${path}`));
  const refused = routes.flatMap(({ path, parts }) =>
    capturing
      .filter((other) => captures(other.parts, parts) && !captures(parts, other.parts))
      .map(({ method }) => ({ method, path }))
      .filter((route) => !declared.has(`${route.method} ${route.path}`)),
  );
  return [...new Map(refused.map((route) => [`${route.method} ${route.path}`, route])).values()];
}

/** Whether each part of a path equals the other's, or is a parameter. */
function captures(parts: readonly string[], other: readonly string[]): boolean {
  const hasLength = parts.at(-1)?.endsWith("+}") ? other.length >= parts.length : other.length === parts.length;
  return hasLength && parts.every((part, index) => part.startsWith("{") || part === other[index]);
}

/** The functions of a fleet whose clients wait for events in the given way. */
export function fleetFor(fleet: readonly FleetMember[], waiting: WaitingMode): FleetMember[] {
  const members = fleet.filter(({ spec }) => !("waiting" in spec && spec.waiting) || spec.waiting === waiting);
  const queues = new Set(members.filter(isWorker).map(({ spec }) => spec.queue));
  return members.map((member) => {
    const { uses } = member.spec;
    if (!uses.sendsToEveryQueue) return member;
    const sends = uses.sends?.filter((queue) => queues.has(queue)) ?? [];
    return { ...member, spec: { ...member.spec, uses: { ...uses, sends } } } as FleetMember;
  });
}
