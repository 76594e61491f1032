import { setTimeout as pause } from "node:timers/promises";
import { batchesOf } from "../../base/batches.ts";
import { roles } from "../../base/schema/roles.ts";
import type { Channel } from "../../store/channels/channels.ts";
import { cursors, findCursor, putCursor } from "../../store/log/cursors.ts";
import { readHead } from "../../store/log/log.ts";
import type { Message } from "../../store/messages/messages.ts";
import type { Group } from "../../store/organization/groups.ts";
import {
  checkImport,
  keepReplaced,
  type ReplacedOrganization,
  type ReplacedOwner,
  replacedPartition,
} from "../../store/organization/import.ts";
import { findOrganization } from "../../store/organization/organization.ts";
import { scanTable } from "../../store/organization/whole-table.ts";
import { findSecondFactor } from "../../store/second-factors/second-factors.ts";
import { withConsistentReads } from "../../store/table/consistency.ts";
import { transact } from "../../store/table/transactions.ts";
import { type Item, type Key, type Refusal, remove, type Write } from "../../store/table/writes.ts";
import { findAccount } from "../../store/users/accounts.ts";
import { listUsersUpTo, type User } from "../../store/users/users.ts";
import type { Member } from "../bootstrap/members.ts";
import { ArchiveError } from "./archive-allowance.ts";

/**
 * The organization that an import replaces: one that has its owner and what it was created with, and nothing that people wrote.
 * First it is closed, so that nobody can begin to use it. When whatever had begun before has ended, it is certain what it contains:
 * then its items are kept aside, for when the import is given up, or it is opened again.
 */

/** The organization, if it may be closed and replaced; undefined if there is none. Throws when people have used it. */
export async function findReplaceable(): Promise<ReplacedOrganization | undefined> {
  const organization = await findOrganization();
  if (!organization) return undefined;
  const { contents, owner } = await inspect();
  if (contents.size > 0 || !owner)
    throw new ArchiveError(
      `There is an organization already, and it has ${[...contents].join(", ") || "no owner"}. ` +
        "Archives are imported into a new organization, or into one that has only its owner and what it was created with. Nothing was changed",
    );
  return { organization, owner };
}

/** How the owner of a closed organization signs in, when it is certain that nobody used it before it was closed; else undefined. */
export async function findUnusedAccount(
  { owner, closedAt = Date.now() }: ReplacedOrganization,
  settleMs: number,
): Promise<(Required<Pick<ReplacedOrganization, "account">> & Pick<ReplacedOrganization, "secondFactor">) | undefined> {
  await pause(Math.max(0, closedAt + settleMs - Date.now()));
  const { contents } = await inspect();
  const account = await findAccount(owner.email);
  if (contents.size > 0 || !account) return undefined;
  const { passwordHash, identity, secondFactor } = account;
  const factor = secondFactor === undefined ? undefined : await findSecondFactor(account.userId);
  return {
    account: {
      ...(passwordHash !== undefined && { passwordHash }),
      ...(identity !== undefined && { identity }),
      ...(secondFactor !== undefined && { secondFactor }),
    },
    ...(factor && { secondFactor: factor }),
  };
}

/**
 * Partitions that stay: the log, so that its numbers ascend, what the fleet notes of itself, the audit log, and the import's own
 * items.
 */
const stays = /^(LOG|LOG#.*|FLEET|IMPORT|AUDIT)$/;

/** Few, because a table with a small limit of write units refuses a transaction that needs more than it has saved up. */
export const writesPerTransaction = 24;

const cursorPartitions = new Set<string>(Object.values(cursors).map(({ pk }) => pk));

/** The items of an organization, without cursors: of the one that is in the table now, not of the one that it replaces. */
async function* organizationItems(): AsyncGenerator<Item[]> {
  for await (const page of scanTable())
    yield page.filter(
      ({ pk, sk }) => !stays.test(pk) && pk !== replacedPartition && !(cursorPartitions.has(pk) && sk !== "MANIFEST"),
    );
}

/** Writes as a run, which fails when `run` is no longer the run that writes: then these may be items that the other one has written. */
export const writeAsRun = (run: string, takenOver: Refusal) => (writes: readonly Write[]) =>
  transact([checkImport(run), ...writes], { refusal: takenOver });

/** Sets the items of a closed organization aside. Fails like `writeAsRun`. */
export async function clearTable(run: string, takenOver: Refusal): Promise<void> {
  const asRun = writeAsRun(run, takenOver);
  const position = await findCursor(cursors.search);
  if (position) await asRun([keepReplaced({ ...cursors.search, ...position })]);
  for await (const page of organizationItems())
    for (const batch of batchesOf(page, writesPerTransaction / 2))
      await asRun(batch.flatMap((item) => [remove(item), keepReplaced(item)]));
  await skipLog(run, takenOver);
}

/** Deletes the items that an import has written. Fails like `writeAsRun`. */
export async function deleteImported(run: string, takenOver: Refusal): Promise<void> {
  const asRun = writeAsRun(run, takenOver);
  for await (const page of organizationItems())
    for (const batch of batchesOf(page, writesPerTransaction)) await asRun(batch.map((item) => remove(item)));
  await asRun([remove(cursors.search)]);
  await skipLog(run, takenOver);
}

/** What follows the log continues at its end: IDs in older entries are those of the organization that is no longer in the table. */
async function skipLog(run: string, takenOver: Refusal): Promise<void> {
  const { event: sequence } = await readHead();
  const followers: Key[] = [cursors.notifications, cursors.traffic];
  const known = await Promise.all(followers.map(findCursor));
  const moved = followers.filter((_, index) => known[index] !== undefined);
  await writeAsRun(run, takenOver)(moved.map((key) => putCursor(key, { sequence, leasedUntil: 0 })));
}

/**
 * The owner of the replaced organization among the people of an archive: whoever has their address, whatever their role was, or
 * one more person.
 */
export function withOwner(members: Member[], owner: ReplacedOwner | undefined): void {
  if (!owner) return;
  const known = members.find(
    ({ email, botType }) => botType === undefined && email.toLowerCase() === owner.email.toLowerCase(),
  );
  if (known) Object.assign(known, { role: roles.owner, deactivated: false });
  else members.push({ ...owner, id: members.length + 1, role: roles.owner });
}

/** Reads the table until a page of it has something that people wrote. */
async function inspect(): Promise<{ contents: Set<string>; owner: ReplacedOwner | undefined }> {
  const contents = new Set<string>();
  // An organization that nobody has used has few.
  const users = await withConsistentReads(() => listUsersUpTo(maxUsers));
  const systemBotIds = new Set(users.filter(({ isSystemBot }) => isSystemBot).map(({ id }) => id));
  const people = users.filter(({ botType }) => botType === undefined);
  if (people.length > 1) contents.add("other people");
  for await (const page of scanTable()) {
    if (contents.size > 0) break;
    for (const item of page) {
      const what = writtenBy(item, systemBotIds);
      if (what !== undefined) contents.add(what);
    }
  }
  const owner = people.find(({ role, active }) => role === roles.owner && active);
  return { contents, owner: owner && ownerOf(owner) };
}

const maxUsers = 50;

function ownerOf({ email, fullName, timezone, joinedAt, avatarSource, avatarVersion, avatarFile }: User) {
  const profile = { avatarSource, avatarVersion, ...(avatarFile !== undefined && { avatarFile }) };
  return { email, fullName, timezone, joinedAt, profile };
}

/** What people write, by the item's partition, or by the sort key of a person's own item. */
const writtenIn: Readonly<Record<string, string>> = {
  ...{ BOTS: "bots", EMOJI: "custom emoji", INVITATIONS: "invitations", LINKIFIERS: "linkifiers" },
  ...{ CHANNELFOLDERS: "channel folders", PROFILE_FIELDS: "profile fields", REALM_DOMAINS: "domains of addresses" },
  ...{ PLAYGROUNDS: "playgrounds", DEFAULT_STREAM_GROUPS: "groups of default channels", EXPORTS: "exports" },
  ...{ UPLOAD: "files", SNIPPET: "saved snippets", AGENTKEY: "keys of agents", DRAFT: "drafts", REMINDER: "reminders" },
  ...{ SCHEDULED: "scheduled messages", ALERTWORDS: "alert words", NAVIGATION_VIEWS: "navigation views" },
  ...{ SUBMESSAGE: "votes", EDIT: "edits", SCIMID: "people of a SCIM client" },
};

/** What an item is, if a person wrote it. */
function writtenBy(item: Item, systemBotIds: ReadonlySet<number>): string | undefined {
  const { pk, sk } = item;
  if (pk.startsWith("MESSAGE#") && sk === "MESSAGE")
    return systemBotIds.has((item as unknown as Message).senderId) ? undefined : "messages";
  if (pk === "CHANNELS" && !sk.includes("#"))
    return (item as unknown as Channel).creatorId === null ? undefined : "channels that somebody created";
  if (pk === "GROUPS" && sk !== "GRAPH")
    return (item as unknown as Group).isSystem ? undefined : "groups that somebody created";
  const isOwn = pk.startsWith("USER#") || pk.startsWith("MESSAGE#");
  return writtenIn[(isOwn ? sk : pk).replace(/#.*$/, "")];
}
