import { globSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The layering of shared/: its rooms (module folders) by rank, and checks of the imports between them. */

const root = resolve(import.meta.dirname, "../..");

/**
 * The rooms by rank from the lowest up, each with its contents. A room may only import rooms of lower ranks, type imports
 * included; rooms of the same rank may not import each other. "." is the files directly in shared/.
 */
export const ranks: readonly Readonly<Record<string, string>>[] = [
  { ".": "errors, limits, HTML escaping, and the resources that a declaration's `uses` can name" },
  {
    aws: "observing AWS clients; the fleet's secret",
    schema: "the schema language for parameters and replies; settings, roles and texts of the API",
  },
  { observability: "traces with the cost of a request, log lines, metrics" },
  { "store/table": "the DynamoDB client; reads, writes, transactions, leases" },
  { "store/log": "the organization's event log", "store/channels": "channels, topics, subscriptions" },
  {
    "store/organization": "the organization, groups, emoji, uploads, exports",
    "store/messages": "messages with their edits, flags, reactions, reminders and search index",
  },
  {
    "store/users": "accounts, users, and each user's own data",
    "store/delivery": "outbox, event queues, and records of deliveries",
  },
  {
    jobs: "queues, schedules, the outbox, workers, and subscribers of the log",
    blobs: "the S3 bucket, and detection of content types",
  },
  { mail: "e-mail", pictures: "scaling and storing avatars, icons and logos" },
  { organization: "reading the organization and its settings" },
  { identity: "authentication, and which data of a user others may see" },
  { http: "endpoint declarations and their middleware" },
  { permissions: "evaluating group-setting values" },
  { emoji: "Unicode and custom emoji", "user-groups": "custom user groups" },
  { markdown: "rendering Markdown to HTML", channels: "channels, and the permissions in them" },
  {
    linkifiers: "linkifiers: patterns that become links",
    playgrounds: "code playgrounds",
    "profile-fields": "custom profile fields",
    "realm-domains": "allowed domains of e-mail addresses",
    "default-streams": "channels to which new users are subscribed",
    settings: "validation of users' settings",
  },
  { users: "users as others see them; their status" },
  {
    "organization/manage": "changing the organization",
    presence: "users' presence",
    "user-topics": "visibility policies of topics",
    messages: "access to messages, and their wire format",
    "messages/search": "full-text search and its index",
  },
  {
    "messages/flags": "flags, unread messages, read receipts",
    uploads: "uploaded files and the messages that link to them",
    notifications: "who is notified of a message",
    reactions: "emoji reactions",
  },
  {
    "messages/fetch": "narrows, and fetching messages",
    "messages/render": "rendering messages with the organization's users, channels and groups",
    "missed-mail": "e-mail notifications of missed messages",
  },
  { "outgoing-webhooks/triggers": "finding the bots that a message triggers" },
  {
    "messages/send": "sending messages",
    "mobile-push": "mobile push notifications",
    "profile-fields/data": "users' values of custom profile fields",
  },
  {
    "messages/edit": "editing, moving, deleting and expiring messages; their history",
    submessages: "polls and other widgets",
    "outgoing-webhooks": "calling the services of bots",
  },
  {
    "channels/manage": "creating, changing and archiving channels",
    reminders: "reminders of messages",
    "scheduled-messages": "scheduled messages",
    typing: "typing notifications",
  },
  { "channel-folders": "channel folders", subscriptions: "subscribing and unsubscribing" },
  { invites: "invitations" },
  { "users/manage": "creating, changing and deactivating users" },
  { joining: "the pages for sign-up and password reset", "settings/manage": "changing a user's settings" },
  {
    "alert-words": "alert words",
    bots: "bots and their services",
    "bot-storage": "key-value storage of bots",
    drafts: "synchronized drafts",
    "muted-users": "muted users",
    onboarding: "onboarding steps, which clients show once",
    "navigation-views": "views in the clients' sidebar",
    "saved-snippets": "saved snippets",
  },
  { events: "event queues: registration and polling" },
  { exports: "exports of the organization's data", bootstrap: "creating an organization" },
];

const rankOfRoom = new Map(ranks.flatMap((rooms, rank) => Object.keys(rooms).map((room) => [room, rank])));

/** The room of a file of shared/: the nearest folder above it that is a room; undefined if there is none. */
export function roomOf(file: string): string | undefined {
  if (!file.startsWith("shared/")) return undefined;
  for (let folder = dirname(file.slice("shared/".length)); ; folder = dirname(folder)) {
    if (rankOfRoom.has(folder)) return folder === "." && dirname(file) !== "shared" ? undefined : folder;
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

/** The imports that break the layering, one line each. */
export function upwardImports(sources: Sources): string[] {
  return [...sources].flatMap(([file, source]) => {
    const from = roomOf(file);
    if (from === undefined) return [`${file} does not belong to a room`];
    return importsOf(file, source).flatMap((path) => {
      const to = roomOf(path);
      if (to === from) return [];
      if (to !== undefined && Number(rankOfRoom.get(to)) < Number(rankOfRoom.get(from))) return [];
      return [`${file} imports ${path}`];
    });
  });
}

/** The groups of files with circular imports. */
export function cycles(sources: Sources): string[][] {
  const imports = new Map([...sources].map(([file, source]) => [file, importsOf(file, source)]));
  const reachable = new Map([...imports.keys()].map((file) => [file, reachableFrom(file, imports)]));
  const inCycles = [...imports.keys()].filter((file) => reachable.get(file)?.has(file));
  const groups = inCycles.map((file) => inCycles.filter((other) => isMutual(file, other)));
  return groups.filter(([first], index) => first === inCycles[index]);

  function isMutual(one: string, other: string) {
    return reachable.get(one)?.has(other) === true && reachable.get(other)?.has(one) === true;
  }
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

/** The import graph of the rooms, without edges that a longer path implies (its transitive reduction). */
export function roomEdges(sources: Sources): [from: string, to: string][] {
  const edges = new Map<string, Set<string>>([...rankOfRoom.keys()].map((room) => [room, new Set()]));
  for (const [file, source] of sources) {
    const from = roomOf(file);
    for (const path of importsOf(file, source)) {
      const to = roomOf(path);
      if (from !== undefined && to !== undefined && to !== from) edges.get(from)?.add(to);
    }
  }
  const reachable = new Map([...edges.keys()].map((room) => [room, reachableFrom(room, edges)]));
  return [...edges].flatMap(([from, targets]) =>
    [...targets]
      .filter((to) => ![...targets].some((other) => other !== to && reachable.get(other)?.has(to)))
      .map((to): [string, string] => [from, to]),
  );
}
