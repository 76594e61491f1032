import { globSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The layering of shared/: its rooms (module folders) by rank, and checks of the imports between them. */

const root = resolve(import.meta.dirname, "..");

/**
 * The rooms by rank from the lowest up, each with its contents. A room may only import rooms of lower ranks, type imports
 * included; rooms of the same rank may not import each other. "." is the files directly in shared/.
 */
export const ranks: readonly Readonly<Record<string, string>>[] = [
  { ".": "errors, limits, text in HTML, the permissions that a declaration's `uses` names" },
  {
    aws: "what all AWS clients have in common; the fleet's secret",
    schema: "the vocabulary of parameters and replies; settings, roles and texts as the API knows them",
  },
  { observability: "what a request cost, log lines, metrics" },
  { "store/table": "the table's client, reads, writes, transactions" },
  { "store/log": "the organization's log of events", "store/channels": "channels, topics, subscriptions" },
  {
    "store/organization": "the organization, groups, emoji, uploads, exports",
    "store/messages": "messages and what belongs to one",
  },
  {
    "store/users": "accounts, users and what each has of their own",
    "store/delivery": "outbox, event queues, and what was sent to whom",
  },
  { jobs: "queues, schedules, outbox, workers", blobs: "the bucket, and what a file's content is" },
  { mail: "e-mail", pictures: "scaling and storing avatars, icons and logos" },
  { organization: "the organization with its settings" },
  { identity: "who is calling, and what others may see of them" },
  { http: "what every endpoint passes through" },
  { permissions: "who belongs to a group-setting value" },
  { emoji: "Unicode's and the organization's own", "user-groups": "groups made by people" },
  { markdown: "a message's text to HTML", channels: "channels, and who may do what in them" },
  {
    linkifiers: "patterns that become links",
    playgrounds: "where code can be tried",
    "profile-fields": "the fields of a profile",
    "realm-domains": "domains of e-mail addresses",
    "default-streams": "channels that new accounts are subscribed to",
    settings: "which values of a user's settings are accepted",
  },
  { users: "users as others see them; their settings and status" },
  {
    "organization/manage": "changes of the organization",
    presence: "who is there",
    "user-topics": "muted and followed topics",
    messages: "a message, who may read it, and its shape on the wire",
    "messages/search": "words of texts and their index",
  },
  {
    "messages/flags": "flags, what is unread, read receipts",
    uploads: "files and which messages link them",
    notifications: "who is to be notified, and of what",
    reactions: "reactions",
  },
  {
    "messages/fetch": "narrows and the messages in them",
    "messages/render": "rendering with what the organization knows",
    "missed-mail": "e-mail about missed messages",
  },
  { "outgoing-webhooks/triggers": "which bots a message calls" },
  {
    "messages/send": "sending",
    "mobile-push": "devices and what they are pushed",
    "profile-fields/data": "what users write into profile fields",
  },
  {
    "messages/edit": "edits, moves, deletion, expiry, history",
    submessages: "polls and other widgets",
    "outgoing-webhooks": "calling bots' services",
  },
  {
    "channels/manage": "creating, changing and archiving channels",
    reminders: "reminders of messages",
    "scheduled-messages": "messages that are sent later",
    typing: "who is typing",
  },
  { "channel-folders": "folders of channels", subscriptions: "who is subscribed to what" },
  { invites: "inviting people to join" },
  { "users/manage": "creating, changing and deactivating users" },
  { joining: "the pages on which people join, and get back in", "settings/manage": "changing a user's settings" },
  {
    "alert-words": "words that highlight a message",
    bots: "bots and their services",
    "bot-storage": "what bots keep for themselves",
    drafts: "drafts",
    "muted-users": "muted users",
    onboarding: "what clients show a person once",
    "navigation-views": "what a client's sidebar shows",
    "saved-snippets": "saved snippets",
  },
  { events: "registering event queues, and polling them" },
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
    if (from === undefined) return [`${file} is in no room`];
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
  const open = [...(edges.get(start) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    open.push(...(edges.get(next) ?? []));
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
