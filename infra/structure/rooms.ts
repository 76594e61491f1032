import { globSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The layers of shared/ and of web/, the rooms (module folders) in each, and the check that imports go one way. */

const root = resolve(import.meta.dirname, "../..");

interface Layer {
  name: string;
  contents: string;
  /** By their paths below the tree's folder. */
  rooms: readonly string[];
}

export interface Tree {
  folder: string;
  /**
   * From the lowest up. A room may import the rooms of its own layer and of lower ones, type imports included, as long as neither
   * the rooms nor the files import one another in a circle.
   */
  layers: readonly Layer[];
  /** Other folders from which it may import. */
  imports: readonly string[];
}

const roomsIn = (folder: string, names: readonly string[]) => names.map((name) => `${folder}/${name}`);

const layersOfServer: readonly Layer[] = [
  {
    name: "base",
    contents:
      "errors, limits, schemas of parameters and replies, AWS clients, traces and metrics, the port to the table",
    rooms: [
      ...["base", "base/aws", "base/observability", "base/schema"],
      ...["base/table-port", "base/table-port/dynamodb", "base/table-port/sqlite"],
    ],
  },
  {
    name: "store",
    contents: "the table and the organization's event log: how data is stored, without the rules of a chat",
    rooms: [
      ...["store/table", "store/log", "store/channels", "store/organization", "store/messages", "store/users"],
      ...["store/second-factors", "store/delivery"],
    ],
  },
  {
    name: "services",
    contents: "shared services: endpoints, authentication, permissions, jobs, files, mail",
    rooms: roomsIn("services", [
      ...["blobs", "connections", "http", "identity", "jobs", "mail", "organization", "permissions", "pictures"],
    ]),
  },
  {
    name: "core",
    contents: "people, channels, the organization, and the Markdown of messages",
    rooms: roomsIn("core", [
      ...["channels", "default-streams", "emoji", "linkifiers", "markdown", "organization", "playgrounds"],
      ...["presence", "profile-fields", "realm-domains", "settings", "user-groups", "user-topics", "users"],
    ]),
  },
  {
    name: "messaging",
    contents: "reading, sending and changing messages, and everything that a message causes",
    rooms: roomsIn("messaging", [
      ...["messages", "messages/edit", "messages/fetch", "messages/flags", "messages/render", "messages/search"],
      ...["messages/send", "incoming-mail", "missed-mail", "mobile-push", "notifications", "outgoing-webhooks"],
      ...["outgoing-webhooks/triggers", "reactions", "reminders", "scheduled-messages", "submessages", "typing"],
      ...["uploads", "web-push"],
    ]),
  },
  {
    name: "features",
    contents: "changes to people and channels, which also send messages, and features that build on all other layers",
    rooms: roomsIn("features", [
      ...[
        "agents",
        "alert-words",
        "bootstrap",
        "bots",
        "bot-storage",
        "channel-folders",
        "channels",
        "drafts",
        "events",
      ],
      ...["exports", "import", "integrations", "invites", "joining", "muted-users", "navigation-views", "onboarding"],
      ...["profile-fields", "saved-snippets", "scim", "settings", "single-sign-on", "smoke", "subscriptions", "users"],
    ]),
  },
];

const layersOfPage: readonly Layer[] = [
  {
    name: "base",
    contents: "helpers without knowledge of chat: API calls, languages, HTML, times, texts",
    rooms: ["base/api", "base/languages", "base/lib"],
  },
  {
    name: "state",
    contents: "the page's data about the organization, and how events change it",
    rooms: ["state", "state/events"],
  },
  {
    name: "session",
    contents: "everything that belongs to the signed-in person: connection, current state, actions, unsent texts",
    rooms: ["session", "session/actions", "session/unsent"],
  },
  {
    name: "navigation",
    contents: "the view that the address names, what is open on top of it, and the selection",
    rooms: ["navigation"],
  },
  {
    name: "parts",
    contents: "parts of views: dialogs, menus, fields, rendered messages, the emoji picker",
    rooms: ["parts", "parts/fields", "parts/emoji"],
  },
  {
    name: "views",
    contents: "what people see and do",
    rooms: [
      ...["views/administration", "views/channels", "views/compose", "views/conversations", "views/getting-started"],
      ...["views/integrations", "views/messages", "views/notifications", "views/people", "views/settings"],
      "views/sidebar",
    ],
  },
  {
    name: "programs",
    contents: "entry points: the page, the account pages, the service worker",
    rooms: ["app", "pages", "service-worker"],
  },
];

export const shared: Tree = { folder: "shared", layers: layersOfServer, imports: [] };
/** What else it may import of the server, and that most of it are types, is tested in `test/infra/rooms.test.ts`. */
export const web: Tree = { folder: "web", layers: layersOfPage, imports: ["shared", "functions"] };

const roomsOf = ({ layers }: Tree): string[] => layers.flatMap(({ rooms }) => rooms);

/** The room of a file: the nearest folder above it that is a room; undefined if there is none in the tree. */
export function roomOf(file: string, tree: Tree): string | undefined {
  if (!file.startsWith(`${tree.folder}/`)) return undefined;
  const rooms = roomsOf(tree);
  for (let folder = dirname(file.slice(tree.folder.length + 1)); ; folder = dirname(folder)) {
    if (rooms.includes(folder)) return folder;
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

export const sourcesOf = ({ folder }: Tree): Sources => sourcesIn(`${folder}/**/*.{ts,tsx}`);

/** The files that a source imports by relative paths, including type imports, which esbuild's metafile omits. */
export const importsOf = (file: string, source: string): string[] =>
  [...source.matchAll(/\b(?:from|import)[\s(]*"(\.[^"]+)"/g)].map(([, path = ""]) => join(dirname(file), path));

/** The imports of a higher layer, or from outside of the tree, one line each. */
export function upwardImports(sources: Sources, tree: Tree): string[] {
  const layerOf = (room: string) => tree.layers.findIndex(({ rooms }) => rooms.includes(room));
  const isOutside = (path: string) => tree.imports.some((folder) => path.startsWith(`${folder}/`));
  return [...sources].flatMap(([file, source]) => {
    const from = roomOf(file, tree);
    if (from === undefined) return [`${file} does not belong to a room`];
    return importsOf(file, source).flatMap((path) => {
      const to = roomOf(path, tree);
      const isAllowed = to === undefined ? isOutside(path) : layerOf(to) <= layerOf(from);
      return isAllowed ? [] : [`${file} imports ${path}`];
    });
  });
}

/** The groups of rooms that import one another in a circle. */
export function circlesOfRooms(sources: Sources, tree: Tree): string[][] {
  const imports = new Map(roomsOf(tree).map((room) => [room, new Set<string>()]));
  for (const [file, source] of sources) {
    const from = roomOf(file, tree) ?? "";
    for (const path of importsOf(file, source)) {
      const to = roomOf(path, tree);
      if (to !== undefined && to !== from) imports.get(from)?.add(to);
    }
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
  const all = sourcesIn("{shared,functions,infra,bench,test,web}/**/*.{ts,tsx}");
  return [
    ...[shared, web].flatMap((tree) => {
      const sources = sourcesOf(tree);
      return [
        ...upwardImports(sources, tree).map((line) => `Not a lower layer: ${line}`),
        ...circlesOfRooms(sources, tree).map((rooms) => `Rooms of ${tree.folder}/ in a circle: ${rooms.join(", ")}`),
      ];
    }),
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
