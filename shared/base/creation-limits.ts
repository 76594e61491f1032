/**
 * How much people may create: one row for each kind of thing that an endpoint stores. Endpoints name what they create
 * (`creates`), from which the daily count and the reference's note follow; a test fails for an endpoint that stores something
 * without naming it.
 */

interface CreationLimit {
  /** What the kind is called, in the plural, in errors and in the reference. */
  name: string;
  /**
   * How many one person may create in a UTC day; administrators ten times as many. "requests": as many as the rate limit of
   * requests allows, for what others do not receive, or what is limited as a whole.
   */
  perDay: number | "requests";
  /** What `perDay` counts, where that is not one person's day. */
  countedFor?: string;
  /** Whether a request may create several, which the endpoint then counts itself (`countCreations`). */
  bulk?: true;
  /** How many there may be; absent: as many as the days' limits, or the limits of what they belong to, allow. */
  max?: number;
  /** Whose number `max` is. */
  per: "organization" | "person" | "bot" | "message" | "permission" | "event queue";
}

/**
 * Sizes that real use does not reach. The totals keep `POST /register`, by which every client gets most of these, within its
 * limits of size and time.
 */
export const creationLimits = {
  // What everybody receives.
  channel: { name: "channels", perDay: 200, bulk: true, max: 10_000, per: "organization" },
  channelFolder: { name: "channel folders", perDay: 100, max: 90, per: "organization" },
  userGroup: { name: "user groups", perDay: 100, max: 1000, per: "organization" },
  /** Direct members of user groups, all together; `limits.groupListBytes` limits their total. */
  groupMember: { name: "members of user groups", perDay: 10_000, bulk: true, per: "organization" },
  /** Each permission that names a group reads the item with all of them. */
  subgroup: { name: "subgroups of user groups", perDay: 1000, bulk: true, max: 1000, per: "organization" },
  permissionMember: { name: "people named in a permission", perDay: "requests", max: 500, per: "permission" },
  permissionGroup: { name: "groups named in a permission", perDay: "requests", max: 80, per: "permission" },
  user: { name: "accounts", perDay: 1000, per: "organization" },
  bot: { name: "bots", perDay: 50, max: 2000, per: "organization" },
  /** An event of 400 KB lists all of them. */
  emoji: { name: "custom emoji", perDay: 100, max: 1000, per: "organization" },
  /** Every linkifier slows down the rendering of every message. */
  linkifier: { name: "linkifiers", perDay: 200, max: 200, per: "organization" },
  playground: { name: "code playgrounds", perDay: 200, max: 200, per: "organization" },
  realmDomain: { name: "domains", perDay: 200, max: 200, per: "organization" },
  /** A person's values of all fields are in one item. */
  profileField: { name: "custom profile fields", perDay: 100, max: 50, per: "organization" },
  defaultChannelGroup: { name: "default channel groups", perDay: 100, max: 100, per: "organization" },
  // What is sent, and what belongs to it.
  message: { name: "messages", perDay: "requests", per: "organization" },
  /** Each keeps the former version of a message. */
  edit: { name: "edits of messages", perDay: "requests", per: "organization" },
  topic: { name: "topics", perDay: "requests", per: "organization" },
  reaction: { name: "reactions", perDay: "requests", max: 10_000, per: "message" },
  submessage: {
    name: "votes, options and tasks of polls and to-do lists",
    perDay: "requests",
    max: 12_000,
    per: "message",
  },
  upload: { name: "files", perDay: "requests", per: "organization" },
  invitation: {
    name: "invitations by email",
    perDay: 100,
    countedFor: "the organization",
    bulk: true,
    per: "organization",
  },
  invitationLink: { name: "invitation links", perDay: 100, max: 100, per: "person" },
  export: { name: "exports", perDay: 5, countedFor: "the organization's week", bulk: true, per: "organization" },
  archiveImport: { name: "imports of an archive", perDay: "requests", max: 1, per: "organization" },
  mailedLink: { name: "mailed links of a kind", perDay: 5, countedFor: "the address", bulk: true, per: "person" },
  // What one person alone has.
  draft: { name: "drafts", perDay: "requests", max: 1000, per: "person" },
  scheduledMessage: { name: "scheduled messages", perDay: "requests", max: 200, per: "person" },
  reminder: { name: "reminders", perDay: "requests", max: 200, per: "person" },
  savedSnippet: { name: "saved snippets", perDay: "requests", max: 100, per: "person" },
  /** Each is searched for in every message that the person receives. */
  alertWord: { name: "alert words", perDay: "requests", max: 500, per: "person" },
  mutedUser: { name: "muted people", perDay: "requests", max: 1000, per: "person" },
  navigationView: { name: "navigation views", perDay: "requests", max: 100, per: "person" },
  topicPolicy: { name: "topics' visibility policies", perDay: 2000, per: "person" },
  subscription: { name: "subscriptions", perDay: "requests", max: 10_000, per: "person" },
  profileValue: { name: "profile values", perDay: "requests", max: 50, per: "person" },
  picture: { name: "pictures of a person or of the organization", perDay: "requests", max: 1, per: "person" },
  status: { name: "statuses", perDay: "requests", max: 1, per: "person" },
  presence: { name: "presences", perDay: "requests", max: 1, per: "person" },
  apiKey: { name: "API keys", perDay: "requests", max: 1, per: "person" },
  /** Each counts how often an address was replaced, and nothing is stored before. */
  mailAddress: { name: "replacements of channels' email addresses", perDay: 100, per: "person" },
  agentKey: { name: "keys of agents", perDay: "requests", max: 20, per: "person" },
  session: { name: "sessions", perDay: "requests", max: 20, per: "person" },
  /** They are among the sessions, and leave half of these to devices. */
  appPassword: { name: "app passwords", perDay: "requests", max: 10, per: "person" },
  secondFactor: { name: "second factors", perDay: "requests", max: 1, per: "person" },
  pushDevice: { name: "push devices", perDay: "requests", max: 20, per: "person" },
  browser: { name: "browsers with notifications", perDay: "requests", max: 10, per: "person" },
  eventQueue: { name: "event queues", perDay: "requests", max: 50, per: "person" },
  connection: { name: "connections", perDay: "requests", max: 1, per: "event queue" },
  botStorageEntry: { name: "entries of a bot's storage", perDay: "requests", max: 1000, per: "bot" },
} as const satisfies Record<string, CreationLimit>;

export type CreationKind = keyof typeof creationLimits;

/** The rows by kind, as their common type. */
export const limitOf = (kind: CreationKind): CreationLimit => creationLimits[kind];

/** How many times as much as others an administrator may create in a day. */
export const administratorFactor = 10;

/** The error message of a total that is reached. */
export const tooMany = (kind: CreationKind): string => {
  const { name, max, per } = limitOf(kind);
  if (per === "person") return `You can have at most ${max} ${name}.`;
  return `${per === "organization" ? "An" : "A"} ${per} can have at most ${max} ${name}.`;
};
