import { globSync, readFileSync } from "node:fs";
import { basename, dirname, relative, resolve } from "node:path";
import type { Metafile } from "esbuild";
import { beforeAll, expect, test } from "vitest";
import { importsFrom } from "../../infra/structure/diagrams.ts";
import {
  circlesOfFiles,
  circlesOfRooms,
  roomOf,
  shared,
  importsOf as sourceImports,
  sourcesIn,
  sourcesOf,
  upwardImports,
  web,
} from "../../infra/structure/rooms.ts";
import { looseValues } from "../../infra/structure/style-scale.ts";
import { tabStateOf } from "../../infra/structure/tab-state.ts";

/**
 * Checks the rules for rooms (docs/architecture.md, "The rooms") that `npm run check` does not enforce, and that it detects an
 * import of a higher layer and a circle.
 */

const root = resolve(import.meta.dirname, "..", "..");
/** The sources of shared/ by path; they contain type imports too. */
const sharedSources = sourcesOf(shared);
/** The imports by file, from esbuild's metafile, which has no type imports. */
let inputs: Metafile["inputs"];

beforeAll(async () => {
  inputs = await importsFrom("{functions,shared,infra}/**/*.ts");
});

const importsOf = (file: string) => inputs[file]?.imports ?? [];

const edges = () =>
  Object.keys(inputs).flatMap((from) =>
    importsOf(from)
      .filter(({ external }) => !external)
      .map(({ path }) => ({ from, to: path })),
  );

const importersOf = (packages: RegExp) =>
  Object.keys(inputs)
    .filter((file) => !file.startsWith("infra/"))
    .filter((file) => importsOf(file).some(({ path, external }) => external && packages.test(path)));

const edgeText = ({ from, to }: { from: string; to: string }) => `${from} imports ${to}`;

test("an import of a higher layer is detected, of a type or a value", () => {
  const fixture = new Map([
    ["shared/store/users/fixture.ts", 'import type { Caller } from "../../services/identity/caller.ts";'],
    ["shared/core/channels/fixture.ts", 'import { type Sent, send } from "../../messaging/messages/send/actions.ts";'],
    ["shared/core/emoji/fixture.ts", 'export type { Group } from "../user-groups/actions.ts";'],
    ["shared/services/jobs/fixture.ts", 'const later = () => import("../../core/markdown/render.ts");'],
    ["shared/base/schema/fixture.ts", 'type Realm = import("../../services/organization/access.ts").Realm;'],
    ["shared/core/users/fixture.ts", 'import { isBot } from "../../services/identity/caller.ts";'],
    ["shared/castle/fixture.ts", "export {};"],
  ]);

  expect(upwardImports(fixture, shared)).toEqual([
    "shared/store/users/fixture.ts imports shared/services/identity/caller.ts",
    "shared/core/channels/fixture.ts imports shared/messaging/messages/send/actions.ts",
    "shared/services/jobs/fixture.ts imports shared/core/markdown/render.ts",
    "shared/base/schema/fixture.ts imports shared/services/organization/access.ts",
    "shared/castle/fixture.ts does not belong to a room",
  ]);
});

test("a circle of files is detected, and one of rooms whose files import one another in none", () => {
  const files = new Map([
    ["shared/a.ts", 'import { b } from "./b.ts";'],
    ["shared/b.ts", 'import type { C } from "./c.ts";'],
    ["shared/c.ts", 'import { a } from "./a.ts";'],
    ["shared/d.ts", 'import { a } from "./a.ts";'],
  ]);
  const rooms = new Map([
    ["shared/core/emoji/names.ts", 'import { byName } from "../users/names.ts";'],
    ["shared/core/users/status.ts", 'import type { Emoji } from "../emoji/urls.ts";'],
    ["shared/core/channels/access.ts", 'import { byName } from "../users/names.ts";'],
  ]);

  expect(circlesOfFiles(files)).toEqual([["shared/a.ts", "shared/b.ts", "shared/c.ts"]]);
  expect(circlesOfFiles(rooms)).toEqual([]);
  expect(circlesOfRooms(rooms, shared)).toEqual([["core/emoji", "core/users"]]);
});

test("in the web client, too, an import of a higher layer and a circle of rooms are detected", () => {
  const fixture = new Map([
    ["web/base/api/fixture.ts", 'import type { State } from "../../state/model.ts";'],
    ["web/parts/fixture.tsx", 'import { Message } from "../views/messages/message.tsx";'],
    ["web/views/compose/fixture.tsx", 'const Poll = () => import("../messages/poll.tsx");'],
    ["web/views/messages/fixture.tsx", 'import { compose } from "../compose/compose-state.ts";'],
    ["web/views/people/fixture.tsx", 'import type { Input } from "../../../shared/base/schema/params.ts";'],
    ["web/state/fixture.ts", 'import { loadFleet } from "../../infra/fleet.ts";'],
    ["web/fixture.ts", "export {};"],
  ]);

  expect(upwardImports(fixture, web)).toEqual([
    "web/base/api/fixture.ts imports web/state/model.ts",
    "web/parts/fixture.tsx imports web/views/messages/message.tsx",
    "web/state/fixture.ts imports infra/fleet.ts",
    "web/fixture.ts does not belong to a room",
  ]);
  expect(circlesOfRooms(fixture, web)).toEqual([["views/compose", "views/messages"]]);
});

test("what a module of the web client keeps in the tab is detected, but nothing that a session has", () => {
  const kept = {
    "web/parts/a.ts": "let last = 0;\nconst pending = new Set<number>();\nexport const open = signal(false);",
    "web/parts/b.ts":
      "const cache: Map<string, string> = new Map();\nconst list: number[] = [];\nconst own = {\n  id: 0,\n};\nown.id++;",
    "web/parts/c.ts": 'effect(() => {});\naddEventListener("online", wake);\nvoid setTimeout(wake, 5);',
    "web/parts/d.ts": [
      "const open = sessionSignal(false);",
      "const pending = perSession(() => new Set<number>());",
      'const names = new Set(["a"]);',
      "const none: readonly number[] = [];",
      "const known: ReadonlyMap<string, number> = new Map();",
      "const texts = { a: 1 };",
      "function run() {\n  let count = 0;\n  effect(() => void count++);\n}",
    ].join("\n"),
  };

  expect(tabStateOf(new Map(Object.entries(kept)))).toEqual({
    "web/parts/a.ts": ["last", "open", "pending"],
    "web/parts/b.ts": ["cache", "list", "own"],
    "web/parts/c.ts": ["addEventListener", "effect", "setTimeout"],
  });
});

test("each folder of the web client with sources is a room, and no two of its files have the same name", () => {
  const files = [...sourcesOf(web).keys()];
  const folders = new Set(files.map((file) => relative("web", dirname(file))));
  const byName = Map.groupBy(files, (file) => basename(file).replace(/\.\w+$/, ""));

  expect([...folders].sort()).toEqual(web.layers.flatMap(({ rooms }) => rooms).sort());
  expect([...byName.values()].filter(({ length }) => length > 1)).toEqual([]);
});

test("every room has files, and the scan finds all imports that esbuild finds", () => {
  const rooms = shared.layers.flatMap((layer) => layer.rooms);
  const missedEdges = edges().filter(
    ({ from, to }) => sharedSources.has(from) && !sourceImports(from, sharedSources.get(from) ?? "").includes(to),
  );

  expect(rooms.filter((room) => ![...sharedSources.keys()].some((file) => roomOf(file, shared) === room))).toEqual([]);
  expect(missedEdges.map(edgeText)).toEqual([]);
  expect(edges().length).toBeGreaterThan(50);
});

test("shared/ and functions/ import nothing from infra/, test/ or bench/", () => {
  const outside = edges().filter(({ from, to }) => !from.startsWith("infra/") && /^(infra|test|bench)\//.test(to));

  expect(outside.map(edgeText)).toEqual([]);
});

test("no function file throws: refusals are in parameters, access checks and shared rules", () => {
  const throwing = [...sourcesIn("functions/**/*.ts")].filter(([, source]) => /\bthrow\b/.test(source));

  expect(throwing.map(([file]) => file)).toEqual([]);
});

/**
 * These functions only serve things that are defined elsewhere: built files, the reference, server settings, an absent
 * integration.
 */
const withoutRoom = ["calls", "reference", "server", "web-client"];

test("functions/X is implemented in a room X of shared/", () => {
  const resources = [...new Set([...sourcesIn("functions/*/*.ts").keys()].map((file) => file.split("/")[1] ?? ""))];
  const roomless = resources.filter((name) => ![...sharedSources.keys()].some((file) => file.split("/")[2] === name));

  expect(roomless).toEqual(withoutRoom);
});

/** A folder with more files than this cannot be overlooked at a glance and needs subfolders with telling names. */
const maxFilesInFolder = 25;

test(`no folder holds more than ${maxFilesInFolder} files`, () => {
  const entries = globSync("{shared,functions,infra,bench,docs,test,web}/**/*", { cwd: root, withFileTypes: true });
  const folders = Map.groupBy(
    entries.filter((entry) => entry.isFile()),
    ({ parentPath }) => relative(root, parentPath),
  );
  const crowded = [...folders].filter(([, files]) => files.length > maxFilesInFolder);

  expect(crowded.map(([folder, files]) => `${folder}: ${files.length}`)).toEqual([]);
  expect(folders.size).toBeGreaterThan(100);
});

/** What server and web client must do alike, such as writing references: modules that import nothing else. */
const sharedWithWebClient = [
  "shared/base/folding.ts",
  "shared/base/name-key.ts",
  ...[
    "inline/mention-syntax",
    "narrow-urls",
    "source/fence-lines",
    "source/fenced",
    "source/plain",
    "source/references",
  ].map((name) => `shared/core/markdown/${name}.ts`),
];

test("the web client contains of the server only what both must do alike, and else knows its types", async () => {
  const bundled = await importsFrom("web/{app/main.tsx,pages/pages.ts,service-worker/service-worker.ts}");
  const imported = [...sourcesOf(web)].flatMap(([file, source]) =>
    sourceImports(file, source).filter((path) => !path.startsWith("web/")),
  );

  expect(
    Object.keys(bundled)
      .filter((file) => !file.startsWith("web/"))
      .sort(),
  ).toEqual(sharedWithWebClient);
  expect(Object.keys(bundled).length).toBeGreaterThan(50);
  expect(imported).toContain("shared/base/schema/params.ts");
  expect(imported.filter((path) => !/^(functions|shared)\//.test(path))).toEqual([]);
});

test("no function imports another, except the one that does for agents what endpoints do", () => {
  const functionEdges = edges().filter(
    ({ from, to }) =>
      from.startsWith("functions/") && to.startsWith("functions/") && from !== "functions/agents/call-mcp.ts",
  );

  expect(functionEdges.map(edgeText)).toEqual([]);
});

test("no function bundles the event schemas", () => {
  const importers = (file: RegExp) =>
    Object.keys(inputs).filter((from) => importsOf(from).some(({ path, external }) => !external && file.test(path)));

  expect(importers(/event-types\.ts$/).filter((file) => !/event-(types|schemas)\.ts$/.test(file))).toEqual([]);
  expect(importers(/event-types\.ts$/)).toContain("infra/reference/event-schemas.ts");
  expect(importers(/event-schemas\.ts$/)).toEqual(["infra/reference/events.ts"]);
});

test("only the adapter for DynamoDB knows the SDK's clients of it, and only the store uses an adapter", () => {
  const importers = importersOf(/^@aws-sdk\/(client|lib|util)-dynamodb$/);

  // A record of the table's stream has DynamoDB's JSON.
  const others = importers.filter((file) => !file.startsWith("shared/base/table-port/dynamodb/"));
  expect(others).toEqual(["shared/store/log/stream.ts"]);
  expect(importers).toContain("shared/base/table-port/dynamodb/table.ts");
  const uses = edges().filter(
    ({ from, to }) =>
      !/^(?:infra|shared\/base\/table-port\/dynamodb)\//.test(from) &&
      to === "shared/base/table-port/dynamodb/table.ts",
  );
  expect(uses.map(({ from }) => from)).toEqual(["shared/store/table/client.ts"]);
});

test("only jobs/ talks to SQS and EventBridge Scheduler", () => {
  const outside = importersOf(/^@aws-sdk\/client-(sqs|scheduler)$/);

  expect(outside.filter((file) => !file.startsWith("shared/services/jobs/"))).toEqual([]);
  expect(outside).toContain("shared/services/jobs/schedules.ts");
});

test("functions import AWS and middy only through shared/", () => {
  const outside = importersOf(/^(@aws-sdk|@smithy|@middy)\//);

  expect(outside.filter((file) => file.startsWith("functions/"))).toEqual([]);
});

test("every AWS client is created so that the host can observe it", () => {
  const createsClient = (file: string) => /new \w+Client\(/.test(readFileSync(resolve(root, file), "utf8"));
  const clients = importersOf(/^@aws-sdk\/client-/).filter(
    // The table's calls are observed at its port.
    (file) => !/^(functions|shared\/base\/table-port\/dynamodb)\//.test(file) && createsClient(file),
  );
  const unobserved = clients.filter(
    (file) => !importsOf(file).some(({ path }) => path === "shared/base/aws/observe.ts"),
  );

  expect(unobserved).toEqual([]);
});

test("sizes and spaces off the scale are found", () => {
  const sheet = `.row {
  padding: 0 var(--space-2);
  margin-inline: calc(-1 * var(--space-2)) 3px;
  font-size: 0.9em;
  font-weight: 600;
  transition: opacity 0.1s;
  width: 96px;
}
`;

  expect(looseValues(new Map([["row.css", sheet]]))).toEqual([
    "row.css has a value that is not on the scale: margin-inline: calc(-1 * var(--space-2)) 3px;",
    "row.css has a value that is not on the scale: font-weight: 600;",
    "row.css has a value that is not on the scale: transition: opacity 0.1s;",
  ]);
});
