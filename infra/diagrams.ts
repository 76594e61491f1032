import { globSync } from "node:fs";
import { resolve } from "node:path";
import { build, type Metafile } from "esbuild";
import { isEndpoint, isFollower, isRecurring, isWorker, type Member } from "./fleet.ts";

/** Pictures of the fleet in Mermaid's words, made from the code that they show. */

const root = resolve(import.meta.dirname, "..");

const rooms: Record<string, string> = {
  functions: "functions/<br>one file, one Lambda",
  http: "shared/http<br>what every endpoint passes through",
  jobs: "shared/jobs<br>queues, schedules, workers",
  domain: "shared/&lt;domain&gt;<br>access, rules, actions, wire",
  store: "shared/store<br>entities and their keys",
  foot: "shared/*.ts<br>errors, uses, settings, trace",
};

function roomOf(file: string): string | undefined {
  const [place, inner, ...rest] = file.split("/");
  if (place === "functions") return "functions";
  if (place !== "shared" || !inner) return undefined;
  if (rest.length === 0) return "foot";
  return Object.hasOwn(rooms, inner) ? inner : "domain";
}

/** What the sources that a pattern names import, and what these import, types left out. */
export async function importsFrom(pattern: string): Promise<Metafile["inputs"]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: globSync(pattern, { cwd: root }),
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    metafile: true,
    write: false,
    outdir: "dist",
    logLevel: "error",
  });
  return metafile.inputs;
}

/** A client of the AWS SDK by its service; other packages are not shown. */
const serviceOf = (path: string) => /^@aws-sdk\/(?:client|lib)-([a-z0-9-]+)/.exec(path)?.[1];

/** Who imports whom, by room, and which rooms hold the clients of AWS. */
export async function roomsDiagram(): Promise<string> {
  const edges = new Set<string>();
  const services = new Set<string>();
  for (const [file, { imports: found }] of Object.entries(await importsFrom("functions/**/*.ts"))) {
    const from = roomOf(file);
    if (!from) continue;
    for (const { path, external } of found) {
      const service = external ? serviceOf(path) : undefined;
      const to = service ? `sdk-${service}` : roomOf(path);
      if (service) services.add(service);
      if (to && to !== from) edges.add(`${from} --> ${to}`);
    }
  }
  return mermaid("flowchart TD", [
    ...Object.entries(rooms).map(([name, label]) => `${name}["${label}"]`),
    ...[...services].sort().map((service) => `sdk-${service}(["${service}"])`),
    ...[...edges].sort(),
  ]);
}

const resources: [string, string, (member: Member) => boolean][] = [
  ["table", '[("DynamoDB: one table")]', ({ spec }) => spec.uses.table !== undefined],
  ["files", '[("S3: files")]', ({ spec }) => spec.uses.files !== undefined],
  ["queues", '[["SQS: a queue for each worker"]]', ({ spec }) => (spec.uses.sends ?? []).length > 0],
  ["schedules", '[["EventBridge Scheduler"]]', ({ spec }) => (spec.uses.schedules ?? []).length > 0],
  ["bells", '[["SQS: bells that clients wait at"]]', ({ spec }) => spec.uses.bells !== undefined],
  ["secret", '["Secrets Manager"]', ({ spec }) => spec.uses.secret === true],
  ["email", '["SES: e-mail"]', ({ spec }) => spec.uses.email === true],
  ["outgoing", '["webhooks\' receivers"]', ({ spec }) => spec.uses.outgoing === true],
  ["bouncer", '["push bouncer"]', ({ spec }) => spec.uses.pushBouncer === true],
];

/** What endpoints and workers touch, as their declarations say. */
export function fleetDiagram(fleet: readonly Member[]): string {
  const kinds: [string, Member[]][] = [
    ["endpoints", fleet.filter(isEndpoint)],
    ["workers", fleet.filter(isWorker)],
    ["recurring", fleet.filter(isRecurring)],
    ["followers", fleet.filter(isFollower)],
  ];
  const recurs = fleet.filter(isWorker).some(({ spec }) => spec.recurring);
  return mermaid("flowchart LR", [
    'clients(["apps, bots, scripts"]) --> api["API Gateway: a route for each endpoint"]',
    'api --> endpoints["endpoints: a function each"]',
    'api -- "$default" --> fallback["what no route answers"]',
    'queues --> workers["workers: a function each"]',
    ...(recurs ? ["schedules --> queues"] : []),
    ...(fleet.some(isRecurring) ? ['schedules --> recurring["recurring work: a function each"]'] : []),
    ...(fleet.some(isFollower) ? ['table -- "stream" --> followers["followers of the log"]'] : []),
    ...(fleet.some(({ spec }) => spec.uses.bells) ? ['api -- "waiting for events" --> bells'] : []),
    ...resources.map(([name, shape]) => `${name}${shape}`),
    ...kinds.flatMap(([kind, members]) =>
      resources.flatMap(([name, , touches]) => (members.some(touches) ? [`${kind} --> ${name}`] : [])),
    ),
  ]);
}

/** Who has work done later, through which queue, by which worker, and what comes by the clock. */
export function queuesDiagram(fleet: readonly Member[]): string {
  const lines = new Set<string>();
  const quiet = fleet.filter(({ spec }) => !spec.uses.sendsToEveryQueue);
  for (const { resource, name, spec } of fleet.filter(isRecurring))
    lines.add(`clock(("clock")) -. "every ${spec.rate}" .-> w-${name}["${resource}/${name}"]`);
  for (const worker of fleet.filter(isWorker)) {
    const { queue, recurring, works } = worker.spec;
    const named = works.map(({ kind }) => kind.name);
    const label = named.length === 1 ? queue : [`${queue}:`, ...named].join("<br>");
    lines.add(`q-${queue}[["${label}"]] --> w-${worker.name}["${worker.resource}/${worker.name}"]`);
    if (recurring) lines.add(`clock(("clock")) -. "every ${recurring.rate}" .-> q-${queue}`);
    for (const { resource, name, kind, spec } of quiet) {
      const from = kind === "worker" || kind === "recurring" ? `w-${name}` : `e-${resource}(["${resource}"])`;
      if (spec.uses.sends?.includes(queue)) lines.add(`${from} --> q-${queue}`);
      if (spec.uses.schedules?.includes(queue)) lines.add(`${from} -. "at a time" .-> q-${queue}`);
    }
  }
  return mermaid("flowchart LR", [...lines].sort());
}

const mermaid = (kind: string, lines: string[]) =>
  ["```mermaid", kind, ...lines.map((line) => `  ${line}`), "```"].join("\n");

const makers: Record<string, (fleet: readonly Member[]) => string | Promise<string>> = {
  fleet: fleetDiagram,
  rooms: roomsDiagram,
  queues: queuesDiagram,
};

/** A document with its pictures made anew: each stands between `<!-- made: name -->` and `<!-- end -->`. */
export async function withDiagrams(document: string, fleet: readonly Member[]): Promise<string> {
  let text = document;
  for (const [, name = ""] of document.matchAll(/<!-- made: (\w+) -->/g)) {
    const make = makers[name];
    if (!make) throw new Error(`There is no picture ${name} to be made`);
    const [head, end] = [`<!-- made: ${name} -->\n`, "<!-- end -->"];
    const start = text.indexOf(head) + head.length;
    text = `${text.slice(0, start)}\n${await make(fleet)}\n\n${text.slice(text.indexOf(end, start))}`;
  }
  return text;
}
