import { globSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The layers of shared/, the rooms (module folders) in each, and the check that imports go one way. */

const root = resolve(import.meta.dirname, "../..");

interface Layer {
  name: string;
  contents: string;
  rooms: readonly string[];
}

/**
 * From the lowest up. A room may import the rooms of its own layer and of lower ones, type imports included, as long as neither
 * the rooms nor the files import one another in a circle. "." is the files directly in shared/.
 */
export const layers: readonly Layer[] = [
  {
    name: "base",
    contents:
      "errors and limits, the schema language of parameters and replies, AWS clients, traces and metrics, the port to the table",
    rooms: [".", "aws", "observability", "schema", "table", "table/dynamodb"],
  },
  {
    name: "store",
    contents: "the table and the organization's event log; what is stored, and nothing of what it means",
    rooms: [
      ...["store/table", "store/log", "store/channels", "store/organization", "store/messages", "store/users"],
      "store/delivery",
    ],
  },
  {
    name: "services",
    contents: "what every domain uses: endpoints, authentication, permissions, jobs, files, mail",
    rooms: ["blobs", "connections", "http", "identity", "jobs", "mail", "organization", "permissions", "pictures"],
  },
  {
    name: "people and channels",
    contents: "who there is, where they write, and the Markdown that they write in",
    rooms: [
      ...["channels", "default-streams", "emoji", "linkifiers", "markdown", "organization/manage", "playgrounds"],
      ...["presence", "profile-fields", "realm-domains", "settings", "user-groups", "user-topics", "users"],
    ],
  },
  {
    name: "messages",
    contents: "reading, sending and changing messages, and whatever a message causes",
    rooms: [
      ...["messages", "messages/edit", "messages/fetch", "messages/flags", "messages/render", "messages/search"],
      ...["messages/send", "missed-mail", "mobile-push", "notifications", "outgoing-webhooks"],
      ...["outgoing-webhooks/triggers", "reactions", "reminders", "scheduled-messages", "submessages", "typing"],
      ...["uploads", "web-push"],
    ],
  },
  {
    name: "features",
    contents: "changes of people and channels, which write messages too, and what builds on everything",
    rooms: [
      ...["alert-words", "bootstrap", "bots", "bot-storage", "channel-folders", "channels/manage", "drafts"],
      ...["events", "exports", "integrations", "invites", "joining", "muted-users", "navigation-views", "onboarding"],
      ...["profile-fields/data", "saved-snippets", "scim", "settings/manage", "single-sign-on", "smoke"],
      ...["subscriptions", "users/manage"],
    ],
  },
];

const layerOfRoom = new Map(layers.flatMap(({ rooms }, layer) => rooms.map((room) => [room, layer] as const)));

/** The room of a file of shared/: the nearest folder above it that is a room; undefined if there is none. */
export function roomOf(file: string): string | undefined {
  if (!file.startsWith("shared/")) return undefined;
  for (let folder = dirname(file.slice("shared/".length)); ; folder = dirname(folder)) {
    if (layerOfRoom.has(folder)) return folder === "." && dirname(file) !== "shared" ? undefined : folder;
    if (folder === ".") return undefined;
  }
}

/** Source texts by their paths from the repository's root. */
export type Sources = ReadonlyMap<string, string>;

export const sourcesIn = (pattern: string): Sources =>
  new Map(
    globSync(pattern, { cwd: root })
      .sort()
      .map((file) => [file, readFileSync(join(root, file), "utf8")]),
  );

/** The files that a source imports by relative paths, including type imports, which esbuild's metafile omits. */
export const importsOf = (file: string, source: string): string[] =>
  [...source.matchAll(/\b(?:from|import)[\s(]*"(\.[^"]+)"/g)].map(([, path = ""]) => join(dirname(file), path));

/** The imports of a higher layer, one line each. */
export function upwardImports(sources: Sources): string[] {
  return [...sources].flatMap(([file, source]) => {
    const from = roomOf(file);
    if (from === undefined) return [`${file} does not belong to a room`];
    return importsOf(file, source).flatMap((path) => {
      const to = roomOf(path);
      return to !== undefined && layerOf(to) <= layerOf(from) ? [] : [`${file} imports ${path}`];
    });
  });
}

const layerOf = (room: string) => layerOfRoom.get(room) as number;

/** The groups of rooms that import one another in a circle. */
export function circlesOfRooms(sources: Sources): string[][] {
  const imports = new Map([...layerOfRoom.keys()].map((room) => [room, new Set<string>()]));
  for (const [file, source] of sources) {
    const from = roomOf(file) ?? "";
    for (const to of importsOf(file, source).map(roomOf))
      if (to !== undefined && to !== from) imports.get(from)?.add(to);
  }
  return circles(imports);
}

/** The groups of files that import one another in a circle. */
export const circlesOfFiles = (sources: Sources): string[][] =>
  circles(new Map([...sources].map(([file, source]) => [file, importsOf(file, source)])));

function circles(imports: ReadonlyMap<string, Iterable<string>>): string[][] {
  const reachable = new Map([...imports.keys()].map((node) => [node, reachableFrom(node, imports)]));
  const inCircles = [...imports.keys()].filter((node) => reachable.get(node)?.has(node));
  const groups = inCircles.map((node) =>
    inCircles.filter((other) => reachable.get(node)?.has(other) && reachable.get(other)?.has(node)),
  );
  return groups.filter(([first], index) => first === inCircles[index]);
}

/** What is wrong with the imports of the repository, one line each. */
export function wrongImports(): string[] {
  const shared = sourcesIn("shared/**/*.ts");
  const all = sourcesIn("{shared,functions,infra,bench,test,web}/**/*.{ts,tsx}");
  return [
    ...upwardImports(shared).map((line) => `Not a lower layer: ${line}`),
    ...circlesOfRooms(shared).map((rooms) => `Rooms in a circle: ${rooms.join(", ")}`),
    ...circlesOfFiles(all).map((files) => `Files in a circle: ${files.join(", ")}`),
  ];
}

/** All nodes that are reachable from a node by at least one edge. */
function reachableFrom(start: string, edges: ReadonlyMap<string, Iterable<string>>): Set<string> {
  const reached = new Set<string>();
  const pending = [...(edges.get(start) ?? [])];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    pending.push(...(edges.get(next) ?? []));
  }
  return reached;
}
