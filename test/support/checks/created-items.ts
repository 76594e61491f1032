import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { CreationKind } from "../../../shared/base/creation-limits.ts";
import { createdItemsVariable } from "../hosts/watch-creations.ts";

/**
 * Compares every kind of item that an endpoint has stored anew during a run with the limits on what people create: the endpoint must
 * name one of the kinds to which the item belongs, or the item must be bounded otherwise. The hosts of the run record what they store.
 */

/** By the kind of an item (`kindOfItem`), the rows of the table of limits to which it belongs. */
const limitedItems: Record<string, readonly CreationKind[]> = {
  "USERS/n": ["user", "bot"],
  "ACCOUNT/ACCOUNT": ["user", "bot"],
  "BOTS/n": ["bot"],
  "BOTKEY/BOTKEY": ["bot", "apiKey"],
  "TOKEN/TOKEN": ["mailedLink", "invitation", "invitationLink", "session"],
  "INVITATIONS/n": ["invitation", "invitationLink"],
  "STATUSES/n": ["status"],
  "GROUPS/n": ["userGroup"],
  "CHANNELS/n": ["channel"],
  "CHANNELS/n#STATS": ["channel"],
  "CHANNELFOLDERS/n": ["channelFolder"],
  "CHANNEL/TOPIC": ["topic", "message"],
  "USER/SUBSCRIPTION": ["subscription", "user", "channel"],
  "CONVERSATION/CONVERSATION": ["message", "user"],
  // Whoever joins is welcomed by a message.
  "MESSAGE/MESSAGE": ["message", "user"],
  "DMS/n": ["message", "user"],
  "MESSAGE/EDIT": ["edit"],
  "BROADMENTIONS/n": ["message"],
  "UPLOAD/CLAIM": ["message"],
  "MESSAGE/SUBMESSAGE": ["submessage"],
  "USER/SNIPPET": ["savedSnippet"],
  "MAILADDRESSES/n": ["mailAddress"],
  "USER/DEVICE": ["session", "appPassword"],
  "USER/SECONDFACTOR": ["secondFactor"],
  "USER/AGENTKEY": ["agentKey"],
  "USER/BOTENTRY": ["botStorageEntry"],
  "UPLOAD/UPLOAD": ["upload"],
  "UPLOAD/PENDING": ["upload"],
  "EXPORTS/n": ["export"],
  "EXPORT/WORK": ["export"],
  "IMPORT/REQUEST": ["archiveImport"],
  "PROFILE_FIELDS/PROFILE_FIELDS": ["profileField"],
  "REALM_DOMAINS/REALM_DOMAINS": ["realmDomain"],
  "DEFAULT_STREAM_GROUPS/DEFAULT_STREAM_GROUPS": ["defaultChannelGroup"],
  "PLAYGROUNDS/PLAYGROUNDS": ["playground"],
  "LINKIFIERS/LINKIFIERS": ["linkifier"],
  "USER/NAVIGATION_VIEWS": ["navigationView"],
  "USER/PUSHDEVICE": ["pushDevice"],
  "USER/PUSHTOKEN": ["pushDevice"],
  "USER/BROWSER": ["browser"],
  // A topic in which somebody writes, votes or reacts may be followed from then on.
  "USER/USERTOPIC": ["topicPolicy", "message", "reaction", "submessage"],
  "EMOJI/n": ["emoji"],
  "USER/DRAFT": ["draft"],
  "USER/MUTED": ["mutedUser"],
  "USER/ALERTWORDS": ["alertWord"],
  "USER/REMINDER": ["reminder"],
  "USER/SCHEDULED": ["scheduledMessage"],
  "USER/QUEUE": ["eventQueue"],
  "PRESENCE/n": ["presence", "status"],
};

/** By the kind of an item, why it needs no limit of its own. */
const otherItems: Record<string, string> = {
  // What expires or is removed soon.
  "LOG/n": "expires after eight days",
  "AUDIT/n":
    "expires after a year, and stands for a change, of which an account makes as many as its rate limit lets it",
  "OUTBOX/n": "is removed when its job is sent",
  "REQUESTS/n": "counts requests of a time window, with which it expires",
  "ATTEMPTS/n": "counts sign-ins of a time window, with which it expires",
  "REMOVALS/n": "is removed by the hourly sweep",
  "TOLD/USER": "expires after eight days",
  "SENT/LOCAL": "expires after a day",
  "SIGNIN/SIGNIN": "expires after ten minutes",
  "MOVE/MOVE": "is removed when the move is finished",
  "TOPICDELETION/TOPICDELETION": "is removed when the deletion is finished",
  "USER/AGENTCALL": "is one for each request of an agent, and expires after 30 days",
  "PAYLOAD/PAYLOAD": "is one for each bot, and expires after a week",
  // What there is one of, for all or for each of something that has a limit.
  "LOG/HEAD": "is one",
  "GROUPS/GRAPH": "is one",
  "EXPORTS/HEAD": "is one",
  "FILES/USAGE": "is one",
  "COUNTER/n": "is one for each kind of thing that has IDs",
  "CHANNELNAME/CLAIM": "is one for each channel",
  "GROUPNAME/CLAIM": "is one for each user group",
  "CHANNELFOLDERNAME/CLAIM": "is one for each channel folder",
  "EMOJINAME/CLAIM": "is one for each custom emoji",
  "SCIM/n": "is one for each person and user group",
  "SCIMID/CLAIM": "is one for each person and user group",
  "SIGNINS/SIGNINS": "is one for each account",
  "IDENTITY/IDENTITY": "is one for each account and provider",
  "PEOPLE/MANIFEST": "is one",
  "PEOPLE/CHUNK": "is one for each 250 people",
  "WAKEUPQUEUES/n": "is one for each event queue",
  "USER/SETTINGS": "is one for each person",
  "USER/ONBOARDING_STEPS": "is one for each person",
  "USER/AGENTKEYS": "is one for each person",
  "USER/SNIPPETS": "is one for each person",
  "USER/BOTSTORAGE": "is one for each bot",
  "USER/UNREADFLOORS": "is one for each person",
  "USER/READ": "is one for each person and 32,768 messages",
  "USER/FLAGS": "is one for each person and message that mentions them, or that they star or have read",
};

/** By endpoint and kind of item, why the endpoint stores it without creating anything. */
const exceptions: Record<string, string> = {
  "confirm-new-address ACCOUNT/ACCOUNT": "replaces the account of the former address",
  "edit-settings ACCOUNT/ACCOUNT": "replaces the account of the former address",
  "edit-user ACCOUNT/ACCOUNT": "replaces the account of the former address",
  "replace-scim-user ACCOUNT/ACCOUNT": "replaces the account of the former address",
  "edit-scim-user ACCOUNT/ACCOUNT": "replaces the account of the former address",
  "delete-topic CHANNEL/TOPIC": "marks that the topic's newest message has gone, and expires",
  "delete-message CHANNEL/TOPIC": "marks that the topic's newest message has gone, and expires",
};

const root = resolve(import.meta.dirname, "../../..");

/**
 * The kinds that an endpoint creates, as its file says: to load the declarations would take longer than the cases of most files.
 * Undefined if no endpoint has the name.
 */
export function kindsCreatedBy(name: string): string[] | undefined {
  const [file] = globSync(`functions/*/${name}.ts`, { cwd: root });
  const text = file === undefined ? "" : readFileSync(join(root, file), "utf8");
  if (!/^export const handler = (endpoint|changeEndpoint)\(/m.test(text)) return undefined;
  const [, kinds = ""] = /^ {4}creates: (\[[^\]]*\]|"\w+"),$/m.exec(text) ?? [];
  return [...kinds.matchAll(/\w+/g)].map(([kind]) => kind);
}

/** What is wrong with records of the form "name of the endpoint, space, kind of item": a line for each. */
export function complaintsAbout(records: Iterable<string>): string[] {
  return [...new Set(records)].sort().flatMap((record) => {
    const [name = "", kind = ""] = record.split(" ");
    if (kind in otherItems || record in exceptions) return [];
    const creates = kindsCreatedBy(name);
    if (!creates) return [];
    const limited = limitedItems[kind];
    if (!limited) return [`${record}: no row of the table of limits is for such items, and nothing else bounds them`];
    return limited.some((row) => creates.includes(row))
      ? []
      : [`${record}: the endpoint creates none of ${limited.join(", ")} according to its declaration`];
  });
}

/** Collects records during a run; the returned function compares them at its end, and may make it fail. */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "skein-created-"));
  process.env[createdItemsVariable] = folder;
  return () => {
    const files = readdirSync(folder).map((file) => readFileSync(join(folder, file), "utf8"));
    rmSync(folder, { recursive: true });
    const complaints = complaintsAbout(files.flatMap((text) => text.split("\n").filter(Boolean)));
    if (complaints.length === 0) return;
    console.error(
      ["Items that an endpoint stores without a limit (shared/base/creation-limits.ts):", ...complaints].join("\n  "),
    );
    // An error thrown here would be printed with a stack trace, which hides the list.
    process.exitCode = 1;
  };
}
