import { existsSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import type { $ZodError } from "zod/v4/core";
import { subscriptionEventNumbers } from "../../exports/zulip-numbers.ts";
import { flag, maybe, number, object, type output, seconds, text, time } from "../../integrations/fields.ts";
import { ArchiveError, listFolder, readJson } from "../archive.ts";
import { entriesOf, rowsOf } from "../json-rows.ts";
import type { ImportReport } from "../report.ts";
import { unreadFields } from "../unread-fields.ts";

/**
 * The files of a Zulip export (https://zulip.readthedocs.io/en/latest/production/export-and-import.html), which are the rows of
 * Zulip's tables, as its `zerver/lib/export.py` writes them: `realm.json` with most tables, `messages-000001.json` and so on with
 * a thousand messages each and what each recipient has of them, `attachment.json`, and folders with files, each of which has a
 * `records.json`.
 */

/** The versions of Zulip whose exports are read. Their differences are handled where they matter. */
const versions = { from: 10, to: 12 };

export const id = () => z.int().check(z.minimum(1));
/** Another row's ID; undefined where there is none. */
const reference = () => maybe(id());
const choice = () => maybe(z.int());
const maybeFlag = () => z.catch(z.nullable(z.boolean()), null);
/** More than a message can have in any of these versions' default configuration. */
const longText = () => text(200_000);

const rows = {
  zerver_userprofile: z.looseObject({
    id: id(),
    ...{ delivery_email: text(), email: text(), full_name: text(), timezone: text(100) },
    ...{ role: number(), bot_type: reference(), bot_owner: reference(), date_joined: time() },
    ...{ is_active: flag(), is_bot: flag(), is_mirror_dummy: flag(), avatar_source: text(1) },
    ...{ default_sending_stream: reference(), default_events_register_stream: reference() },
    default_all_public_streams: flag(),
  }),
  zerver_userprofile_crossrealm: object({ id: id(), email: text() }),
  zerver_stream: z.looseObject({
    id: id(),
    ...{ name: text(), description: text(), date_created: time(), creator: reference() },
    ...{ invite_only: flag(), is_web_public: flag(), history_public_to_subscribers: flag(), deactivated: flag() },
    ...{ message_retention_days: choice(), folder: reference(), topics_policy: choice() },
  }),
  zerver_defaultstream: object({ stream: id() }),
  zerver_channelfolder: object({
    id: id(),
    ...{ name: text(), description: text(), date_created: time(), creator: reference() },
    ...{ is_archived: flag(), order: number() },
  }),
  zerver_recipient: object({ id: id(), type: id(), type_id: id() }),
  zerver_subscription: object({
    ...{ user_profile: id(), recipient: id(), active: flag(), color: text(20), is_muted: maybeFlag() },
    ...{ pin_to_top: flag(), desktop_notifications: maybeFlag(), audible_notifications: maybeFlag() },
    ...{ push_notifications: maybeFlag(), email_notifications: maybeFlag(), wildcard_mentions_notify: maybeFlag() },
  }),
  zerver_usergroup: object({ id: id() }),
  zerver_namedusergroup: z.looseObject({
    ...{ usergroup_ptr: reference(), id: reference(), name: text(), description: text() },
    ...{ is_system_group: flag(), deactivated: flag(), creator: reference(), date_created: maybe(seconds()) },
  }),
  zerver_usergroupmembership: object({ user_group: id(), user_profile: id() }),
  zerver_groupgroupmembership: object({ supergroup: id(), subgroup: id() }),
  zerver_client: object({ id: id(), name: text(100) }),
  zerver_realmfilter: object({ id: id(), pattern: text(), url_template: text(), order: number() }),
  zerver_realmplayground: object({ name: text(), pygments_language: text(), url_template: text() }),
  zerver_realmdomain: object({ domain: text(), allow_subdomains: flag() }),
  zerver_customprofilefield: object({
    ...{ id: id(), name: text(), hint: text(), order: number(), field_type: number(), field_data: longText() },
    ...{ display_in_profile_summary: flag(), required: flag(), editable_by_user: z.catch(z.boolean(), true) },
  }),
  zerver_customprofilefieldvalue: object({ user_profile: id(), field: id(), value: text() }),
  zerver_usertopic: object({
    ...{ user_profile: id(), stream: id(), topic_name: text(1000), visibility_policy: number(), last_updated: time() },
  }),
  zerver_muteduser: object({ user_profile: id(), muted_user: id(), date_muted: time() }),
  zerver_alertword: object({ user_profile: id(), word: text() }),
  zerver_userstatus: object({
    ...{ user_profile: id(), status_text: text(), emoji_name: text(200), emoji_code: text(200) },
    reaction_type: text(50),
  }),
  zerver_savedsnippet: object({ user_profile: id(), title: text(), content: longText(), date_created: time() }),
  zerver_navigationview: object({
    ...{ user: id(), fragment: text(), is_pinned: flag(), name: z.catch(z.nullable(z.string()), null) },
  }),
  zerver_onboardingstep: object({ user: id(), onboarding_step: text(200) }),
  zerver_scheduledmessage: object({
    ...{
      id: reference(),
      sender: id(),
      recipient: id(),
      subject: text(1000),
      content: longText(),
      sending_client: reference(),
    },
    ...{
      scheduled_timestamp: time(),
      read_by_sender: flag(),
      delivered: flag(),
      failed: flag(),
      delivery_type: number(),
      reminder_target_message_id: reference(),
    },
  }),
  // Zulip does not export drafts, but other servers may.
  zerver_draft: object({
    ...{ user_profile: id(), recipient: reference(), topic: text(1000), content: longText(), last_edit_time: time() },
  }),
  // Zulip exports neither these, but other servers do.
  zerver_defaultstreamgroup: object({ name: text(), description: text(), streams: z.catch(z.array(id()), []) }),
  skein_reminder: object({ user_profile: id(), message: id(), content: longText(), scheduled_timestamp: time() }),
  zerver_botconfigdata: object({ bot_profile: id(), key: text(), value: text() }),
  zerver_service: object({
    ...{ user_profile: id(), name: text(200), base_url: text(), token: text(200), interface: number() },
  }),
  zerver_botstoragedata: object({ bot_profile: id(), key: text(), value: text(1_000_000) }),
  zerver_realmuserdefault: z.looseObject({}),
  zerver_realmemoji: object({
    id: id(),
    ...{ name: text(200), file_name: text(500), author: reference(), deactivated: flag() },
  }),
} as const;

type Rows = { [T in keyof typeof rows]: output<(typeof rows)[T]> };
export type ZulipUser = Rows["zerver_userprofile"];
export type ZulipChannel = Rows["zerver_stream"];
export type ZulipGroup = Rows["zerver_namedusergroup"];

const reaction = object({
  ...{ message: id(), user_profile: id(), emoji_name: text(200), emoji_code: text(200), reaction_type: text(50) },
});

const submessage = object({ message: id(), sender: id(), msg_type: text(50), content: longText() });

/** Events of the log that say when somebody was subscribed: created, activated and deactivated. */
const subscriptionEvents = new Set<number>(Object.values(subscriptionEventNumbers));
const subscriptionEvent = object({
  ...{ event_type: id(), modified_user: id(), modified_stream: id(), event_last_message_id: number() },
});

/** Tables that have nothing to import: activity, statistics, and what follows from other tables. */
const uselessTables = new Set([
  ...["zerver_useractivity", "zerver_useractivityinterval", "zerver_userpresence", "zerver_presencesequence"],
  ...["zerver_huddle", "zerver_realmexport", "zerver_onboardingusermessage"],
]);

export interface Reactions {
  /** By the message's ID in the archive, the reactions in the order in which they were added. */
  of(messageId: number): { userId: number; name: string; code: string; type: string }[];
}

/** Everything but the messages. */
export interface ZulipExport {
  folder: string;
  version: string;
  realm: Record<string, unknown>;
  tables: { [T in keyof Rows]: Rows[T][] };
  reactions: Reactions;
  submessages: Map<number, output<typeof submessage>[]>;
  /** When somebody was subscribed to a channel, `user|channel`: the IDs of the last messages before it began or ended. */
  subscriptionTimes: Map<string, { active: boolean; after: number }[]>;
  messageFiles: string[];
  attachments: ZulipAttachment[];
}

export const isZulipExport = (folder: string): boolean => listFolder(folder).files.includes("realm.json");

/** Refuses versions whose tables are unknown. */
function versionOf(folder: string): string {
  const range = `exports of Zulip ${versions.from} to ${versions.to} can be imported`;
  if (!existsSync(join(folder, "migration_status.json")))
    throw new ArchiveError(
      `The export has no migration_status.json, which says from which version of Zulip it is: ${range}`,
    );
  const { zulip_version } = status.parse(readJson(folder, "migration_status.json"));
  const major = Number(/^(\d+)\./.exec(zulip_version)?.[1]);
  if (!(major >= versions.from && major <= versions.to))
    throw new ArchiveError(`The export is from Zulip ${zulip_version || "of an unknown version"}; ${range}`);
  return zulip_version;
}

const status = z.catch(object({ zulip_version: text(100) }), { zulip_version: "" });

/** Reads everything but the messages; `report` gets what is not imported. */
export function readZulipExport(folder: string, report: ImportReport): ZulipExport {
  const version = versionOf(folder);
  const { files } = listFolder(folder);
  if (files.some((name) => /^messages-\d+\.json\.(partial|locked)$/.test(name)))
    throw new ArchiveError("The export is not complete: it has files of messages that end with .partial or .locked");
  const ignore: Ignore = (what, example) => report.lacks(what, 1, example);
  const tables = Object.fromEntries(Object.keys(rows).map((table) => [table, []])) as unknown as Record<
    string,
    unknown[]
  >;
  const reactions = new ReactionList();
  const submessages: ZulipExport["submessages"] = new Map();
  const subscriptionTimes: ZulipExport["subscriptionTimes"] = new Map();
  let realm: Record<string, unknown> | undefined;
  const counts = new Map<string, number>();
  for (const { table, row } of rowsOf(folder, "realm.json")) {
    const count = (counts.get(table) ?? 0) + 1;
    counts.set(table, count);
    const invalid = (error?: $ZodError) => ignoreRow(ignore, table, "realm.json", count, error);
    const kept = Object.hasOwn(tables, table) ? tables[table] : undefined;
    if (kept || table === "zerver_userprofile_mirrordummy") {
      const parsed = rows[(kept ? table : "zerver_userprofile") as keyof typeof rows].safeParse(row);
      if (parsed.success) {
        (kept ?? (tables.zerver_userprofile as unknown[])).push(parsed.data);
        ignoreFields(ignore, table, "realm.json", count, unreadFields(row, parsed.data));
      } else invalid(parsed.error);
    } else if (table === "zerver_realm") {
      realm = z.catch(z.optional(z.record(z.string(), z.unknown())), undefined).parse(row) ?? realm;
    } else if (table === "zerver_reaction") {
      const parsed = reaction.safeParse(row);
      if (parsed.success) reactions.add(parsed.data);
      else invalid(parsed.error);
    } else if (table === "zerver_submessage") {
      const parsed = submessage.safeParse(row);
      if (parsed.success) addTo(submessages, parsed.data.message, parsed.data);
      else invalid(parsed.error);
    } else if (table === "zerver_realmauditlog") {
      const parsed = subscriptionEvent.safeParse(row);
      if (!parsed.success || !subscriptionEvents.has(parsed.data.event_type)) continue;
      const { modified_user, modified_stream, event_type, event_last_message_id: after } = parsed.data;
      const active = event_type !== subscriptionEventNumbers.deactivated;
      addTo(subscriptionTimes, `${modified_user}|${modified_stream}`, { active, after });
    } else if (!uselessTables.has(table)) ignore(`rows of ${table}, which cannot be imported`);
  }
  if (!realm) throw new ArchiveError("realm.json has no organization (zerver_realm)");
  return {
    ...{ folder, version, realm, tables: tables as unknown as ZulipExport["tables"], reactions, submessages },
    ...{ subscriptionTimes, attachments: readAttachments(folder, files, ignore) },
    messageFiles: files.filter((name) => /^messages-\d+\.json$/.test(name)),
  };
}

export function addTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

type Ignore = (what: string, example?: string) => void;

function ignoreRow(ignore: Ignore, table: string, file: string, row: number, error?: $ZodError): void {
  const [issue] = error?.issues ?? [];
  const field = issue?.path.join(".") ?? "";
  ignore(
    `rows of ${table} that are not as Zulip writes them`,
    `row ${row} of ${file}${field === "" ? "" : `: ${field}`}`,
  );
}

function ignoreFields(ignore: Ignore, table: string, file: string, row: number, fields: readonly string[]): void {
  for (const field of fields)
    ignore(`fields of ${table} that are not as Zulip writes them`, `row ${row} of ${file}: ${field}`);
}

type KnownEmoji = Omit<ReturnType<Reactions["of"]>[number], "userId">;

/** Reactions in little memory: exports have all of them in one table. */
class ReactionList implements Reactions {
  readonly #messages: number[] = [];
  readonly #users: number[] = [];
  readonly #emoji: number[] = [];
  readonly #known: KnownEmoji[] = [];
  readonly #indexes = new Map<string, number>();
  #order: Uint32Array | undefined;

  add({
    message,
    user_profile,
    emoji_name: name,
    emoji_code: code,
    reaction_type: type,
  }: output<typeof reaction>): void {
    const key = JSON.stringify([type, code, name]);
    let index = this.#indexes.get(key);
    if (index === undefined) {
      index = this.#known.push({ name, code, type }) - 1;
      this.#indexes.set(key, index);
    }
    this.#messages.push(message);
    this.#users.push(user_profile);
    this.#emoji.push(index);
    this.#order = undefined;
  }

  of(messageId: number) {
    const messages = this.#messages;
    const order =
      this.#order ?? Uint32Array.from(messages.keys()).sort((a, b) => (messages[a] ?? 0) - (messages[b] ?? 0) || a - b);
    this.#order = order;
    const first = lowerBound(order.length, (at) => (messages[order[at] as number] as number) < messageId);
    const found: ReturnType<Reactions["of"]> = [];
    for (let at = first; at < order.length; at++) {
      const index = order[at] as number;
      if (messages[index] !== messageId) break;
      found.push({
        userId: this.#users[index] as number,
        ...(this.#known[this.#emoji[index] as number] as KnownEmoji),
      });
    }
    return found;
  }
}

/** The first of `length` sorted positions that is not below. */
export function lowerBound(length: number, isBelow: (position: number) => boolean): number {
  let [from, to] = [0, length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (isBelow(middle)) from = middle + 1;
    else to = middle;
  }
  return from;
}

const attachment = object({
  ...{ path_id: text(1000), file_name: text(1000), owner: reference(), create_time: time() },
  ...{ messages: z.catch(z.array(id()), []), scheduled_messages: z.catch(z.array(id()), []) },
});
export type ZulipAttachment = output<typeof attachment>;

function readAttachments(folder: string, files: readonly string[], ignore: Ignore): ZulipAttachment[] {
  if (!files.includes("attachment.json")) {
    ignore("attachment.json, which is missing, so that no files come");
    return [];
  }
  return [...rowsOf(folder, "attachment.json")].flatMap(({ table, row }, index) => {
    if (table !== "zerver_attachment") return [];
    const parsed = attachment.safeParse(row);
    if (!parsed.success || parsed.data.path_id === "")
      ignoreRow(ignore, table, "attachment.json", index + 1, parsed.error);
    return parsed.success && parsed.data.path_id !== "" ? [parsed.data] : [];
  });
}

const record = object({
  ...{ path: text(1000), s3_path: text(1000), file_name: text(500), user_profile_id: reference() },
});
type FileRecord = output<typeof record>;

/** What is in a folder of files; nothing if its list is missing. */
export function readRecords(folder: string, kind: "uploads" | "avatars" | "emoji" | "realm_icons"): FileRecord[] {
  const name = `${kind}/records.json`;
  if (!existsSync(join(folder, name))) return [];
  const records: FileRecord[] = [];
  for (const one of entriesOf(folder, name)) {
    const parsed = record.safeParse(one);
    if (parsed.success && parsed.data.path !== "") records.push(parsed.data);
  }
  return records;
}

const message = object({
  ...{
    id: id(),
    sender: id(),
    recipient: id(),
    subject: text(1000),
    content: longText(),
    rendered_content: longText(),
  },
  ...{ date_sent: time(), last_edit_time: time(), sending_client: reference() },
  edit_history: text(20_000_000),
});
export type ZulipMessage = output<typeof message>;

/** The bits of `flags_mask`, which are the positions of Zulip's names of flags. */
export const flagBits = {
  read: 1,
  starred: 2,
  collapsed: 4,
  mentioned: 8,
  topic_wildcard_mentioned: 32,
  historical: 1024,
} as const;
const keptBits = flagBits.starred | flagBits.collapsed | flagBits.mentioned | flagBits.topic_wildcard_mentioned;

/** What the recipients of a message have of it, by their IDs in the archive. */
export interface Receipts {
  unreadBy: number[];
  flagged: { userId: number; mask: number }[];
}

const maxPerFile = { messages: 100_000, receipts: 20_000_000, characters: 100_000_000 };

/**
 * All messages with their receipts, in the order of their IDs, a file at a time. Calls `ignore` for rows that are not messages.
 */
export function* messagesOf(
  { folder, messageFiles }: ZulipExport,
  ignore: Ignore = () => {},
): Generator<{ message: ZulipMessage; receipts: Receipts }> {
  let newest = 0;
  for (const name of messageFiles) {
    const messages: ZulipMessage[] = [];
    const receipts = new Map<number, Receipts>();
    let [receiptCount, characters] = [0, 0];
    const receiptsOf = (messageId: number) => {
      const known = receipts.get(messageId) ?? { unreadBy: [], flagged: [] };
      receipts.set(messageId, known);
      return known;
    };
    const counts = { zerver_message: 0, zerver_usermessage: 0 };
    for (const { table, row } of rowsOf(folder, name)) {
      if (table === "zerver_message") {
        counts.zerver_message++;
        const parsed = message.safeParse(row);
        if (!parsed.success) {
          ignoreRow(ignore, table, name, counts.zerver_message, parsed.error);
          continue;
        }
        messages.push(parsed.data);
        ignoreFields(ignore, table, name, counts.zerver_message, unreadFields(row, parsed.data));
        characters +=
          parsed.data.content.length + parsed.data.rendered_content.length + parsed.data.edit_history.length;
      } else if (table === "zerver_usermessage") {
        counts.zerver_usermessage++;
        const { user_profile: userId, message: messageId, flags_mask: mask } = Object(row);
        if (typeof userId !== "number" || typeof messageId !== "number" || typeof mask !== "number") {
          ignoreRow(ignore, table, name, counts.zerver_usermessage);
          continue;
        }
        // Most are read and have no flag.
        if (!(mask & (flagBits.read | flagBits.historical))) receiptsOf(messageId).unreadBy.push(userId);
        if (mask & keptBits) receiptsOf(messageId).flagged.push({ userId, mask });
        receiptCount++;
      }
      if (
        messages.length > maxPerFile.messages ||
        receiptCount > maxPerFile.receipts ||
        characters > maxPerFile.characters
      )
        throw new ArchiveError(`${name} has more than any file of messages of an export`);
    }
    messages.sort((a, b) => a.id - b.id);
    for (const [index, one] of messages.entries()) {
      if (one.id === messages[index - 1]?.id) {
        ignore("messages that are twice in the archive", `message ${one.id} in ${name}`);
        continue;
      }
      if (one.id <= newest) throw new ArchiveError(`${name} has messages that belong before those of earlier files`);
      yield { message: one, receipts: receipts.get(one.id) ?? noReceipts };
    }
    newest = messages.at(-1)?.id ?? newest;
  }
}

const noReceipts: Receipts = { unreadBy: [], flagged: [] };
