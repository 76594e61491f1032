import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { build, type Metafile } from "esbuild";
import { type FleetMember, isConnection, isEndpoint, isFollower, isRecurring, isWorker } from "../fleet.ts";
import { shared, type Tree, web } from "./rooms.ts";

/** Generates what documents show of the code: the Mermaid diagrams of docs/architecture.md and the examples of CONTRIBUTING.md. */

const root = resolve(import.meta.dirname, "../..");

/** The transitive imports of the sources that match a pattern, without type imports; for tests. */
export async function importsFrom(pattern: string): Promise<Metafile["inputs"]> {
  const files = globSync(pattern, { cwd: root });
  const { metafile } = await build({
    absWorkingDir: root,
    // One bundle of all files: a bundle of each would take twenty times as long.
    stdin: { contents: files.map((file) => `import("./${file}");`).join("\n"), resolveDir: root },
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    metafile: true,
    write: false,
    outdir: "dist",
    logLevel: "error",
  });
  const { "<stdin>": _, ...inputs } = metafile.inputs;
  return inputs;
}

/** The layers of a tree from the highest down, with their rooms by their paths in the layer's folder. */
const layersTable = ({ layers }: Tree): string =>
  [
    "| layer | rooms |",
    "| --- | --- |",
    ...layers.toReversed().map(({ name, contents, rooms }) => {
      const paths = rooms.map((room) => (room === name ? "*.ts" : room.replace(`${name}/`, "")));
      return `| **${name}**: ${contents} | ${paths.map((path) => `\`${path}\``).join(", ")} |`;
    }),
  ].join("\n");

const resources: [string, string, (member: FleetMember) => boolean][] = [
  ["table", '[("DynamoDB: one table")]', ({ spec }) => spec.uses.table !== undefined],
  ["files", '[("S3: files")]', ({ spec }) => spec.uses.files !== undefined],
  ["queues", '[["SQS: one queue per worker"]]', ({ spec }) => (spec.uses.sends ?? []).length > 0],
  ["schedules", '[["EventBridge Scheduler"]]', ({ spec }) => (spec.uses.schedules ?? []).length > 0],
  ["wakeUps", '[["SQS: one wake-up queue per event queue"]]', ({ spec }) => spec.uses.wakeUpQueues !== undefined],
  ["connections", '["API Gateway: WebSocket connections"]', ({ spec }) => spec.uses.connections === "manage"],
  ["secret", '["Secrets Manager"]', ({ spec }) => spec.uses.secret === true],
  ["email", '["SES: email"]', ({ spec }) => spec.uses.email === true],
  ["outgoing", '["services of outgoing webhooks and browsers"]', ({ spec }) => spec.uses.outgoing === true],
  ["bouncer", '["push bouncer"]', ({ spec }) => spec.uses.pushBouncer === true],
  ["providers", '["identity providers"]', ({ spec }) => spec.uses.identityProviders === "secrets"],
];

/** The resources that endpoints and workers use, according to their declarations. */
export function fleetDiagram(fleet: readonly FleetMember[]): string {
  const groups: [string, FleetMember[]][] = [
    ["endpoints", fleet.filter(isEndpoint)],
    ["workers", fleet.filter(isWorker)],
    ["recurring", fleet.filter(isRecurring)],
    ["followers", fleet.filter(isFollower)],
    ["connected", fleet.filter(isConnection)],
  ];
  const hasSchedules = fleet.some(({ spec }) => spec.uses.schedules?.length);
  return mermaid("flowchart LR", [
    'clients(["clients: apps, bots, scripts"]) --> api["API Gateway: one route per endpoint"]',
    'api --> endpoints["endpoints: one function each"]',
    'api -- "$default" --> fallback["fallback: unknown routes"]',
    'queues --> workers["workers: one function each"]',
    ...(hasSchedules ? ["schedules --> queues"] : []),
    ...(fleet.some(isRecurring) ? ['schedules --> recurring["recurring work: one function each"]'] : []),
    ...(fleet.some(isFollower) ? ['table -- "stream" --> followers["log followers: one function each"]'] : []),
    ...(fleet.some(({ spec }) => spec.uses.wakeUpQueues) ? ['api -- "long poll" --> wakeUps'] : []),
    ...(fleet.some(isConnection)
      ? [
          'clients -- "WebSocket" --> connections',
          'connections --> connected["connections\' routes: one function each"]',
        ]
      : []),
    ...resources.map(([name, shape]) => `${name}${shape}`),
    ...groups.flatMap(([group, members]) =>
      resources.flatMap(([name, , uses]) => (members.some(uses) ? [`${group} --> ${name}`] : [])),
    ),
  ]);
}

/** Which functions send jobs to which queues and workers, and which are triggered by schedules or the log. */
export function queuesDiagram(fleet: readonly FleetMember[]): string {
  const lines = new Set<string>();
  // Functions that send to every queue, such as the sweeper of the outbox, would add an arrow to each without telling anything.
  const senders = fleet.filter(({ spec }) => !spec.uses.sendsToEveryQueue);
  for (const { resource, name, spec } of fleet.filter(isRecurring))
    lines.add(`clock(("Scheduler")) -. "every ${spec.rate}" .-> w-${name}["${resource}/${name}"]`);
  for (const { resource, name, spec } of fleet.filter(isFollower))
    if (spec.uses.sends?.length) lines.add(`log[("event log")] -- "stream" --> w-${name}["${resource}/${name}"]`);
  for (const worker of fleet.filter(isWorker)) {
    const { queue, works: handlers } = worker.spec;
    const jobNames = handlers.map((handler) => handler.kind.name);
    const label = [`${queue}:`, ...jobNames].join("<br>");
    lines.add(`q-${queue}[["${label}"]] --> w-${worker.name}["${worker.resource}/${worker.name}"]`);
    for (const { resource, name, kind, spec } of senders) {
      const from = kind === "endpoint" ? `e-${resource}(["${resource}"])` : `w-${name}`;
      if (spec.uses.sends?.includes(queue)) lines.add(`${from} --> q-${queue}`);
      if (spec.uses.schedules?.includes(queue)) lines.add(`${from} -. "scheduled" .-> q-${queue}`);
    }
  }
  return mermaid("flowchart LR", [...lines].sort());
}

const mermaid = (diagramType: string, lines: string[]) =>
  ["```mermaid", diagramType, ...lines.map((line) => `  ${line}`), "```"].join("\n");

/** The declaration and the handler of a function, as they stand in its file. */
const exampleOf = (path: string): string => {
  const source = readFileSync(resolve(root, "functions", path), "utf8");
  return ["```ts", source.slice(source.indexOf("export const handler")).trimEnd(), "```"].join("\n");
};

const generators: Record<string, (fleet: readonly FleetMember[]) => string | Promise<string>> = {
  "example-endpoint": () => exampleOf("scheduled-messages/get-scheduled-messages.ts"),
  "example-change": () => exampleOf("messages/delete-message.ts"),
  "example-needs": () => exampleOf("messages/get-read-receipts.ts"),
  fleet: fleetDiagram,
  layers: () => layersTable(shared),
  "layers-of-web": () => layersTable(web),
  queues: queuesDiagram,
};

/** Regenerates what a document shows of the code: each part is between `<!-- made: name -->` and `<!-- end -->`. */
export async function regenerateParts(document: string, fleet: readonly FleetMember[]): Promise<string> {
  let text = document;
  for (const [, name = ""] of document.matchAll(/<!-- made: ([\w-]+) -->/g)) {
    const make = generators[name];
    if (!make) throw new Error(`Nothing makes "${name}"`);
    const [head, end] = [`<!-- made: ${name} -->\n`, "<!-- end -->"];
    const start = text.indexOf(head) + head.length;
    text = `${text.slice(0, start)}\n${await make(fleet)}\n\n${text.slice(text.indexOf(end, start))}`;
  }
  return text;
}
