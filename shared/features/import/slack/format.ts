import { statSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { flag, listOf, maybe, number, object, type output, text, time } from "../../integrations/fields.ts";
import { slackAttachment, slackBlock } from "../../integrations/slack-markup.ts";
import { ArchiveError, listFolder, readJson } from "../archive.ts";
import type { ImportReport } from "../report.ts";
import { unreadFields } from "../unread-fields.ts";

/**
 * The files of a Slack export (https://slack.com/help/articles/220556107-How-to-read-Slack-data-exports): `users.json` or, of an
 * Enterprise organization, `org_users.json`; `channels.json` and, in the exports of some plans, `groups.json` (private channels),
 * `mpims.json` (group direct messages) and `dms.json`; for each conversation a folder with its name, or with its ID for a direct
 * one, and in it a file for each day.
 */

const id = () => z.string().check(z.regex(/^\w{1,50}$/));
/** Somebody's ID; empty if it is absent or something else. */
const personId = () => z.catch(id(), "");
const unlimited = Number.POSITIVE_INFINITY;
/** More than a message of Slack can have. */
const maxTextCharacters = 100_000;

const user = object({
  id: id(),
  ...{ name: text(), real_name: text(), tz: text(100) },
  ...{ deleted: flag(), is_bot: flag(), is_admin: flag(), is_owner: flag(), is_primary_owner: flag() },
  ...{ is_restricted: flag(), is_ultra_restricted: flag() },
  profile: maybe(
    object({
      ...{ email: text(), real_name: text(), display_name: text(), bot_id: text() },
      ...{ title: text(), phone: text(), status_text: text() },
    }),
  ),
});
export type SlackUser = output<typeof user>;

const titled = maybe(object({ value: text() }));
const conversation = object({
  id: id(),
  ...{ name: text(), creator: text(), created: time(), is_archived: flag(), is_general: flag() },
  ...{ purpose: titled, topic: titled },
  members: listOf(id(), unlimited),
  pins: listOf(object({}), unlimited),
});

/** Which of the four files a conversation is in. */
type ConversationKind = "channel" | "private" | "group" | "direct";
export type SlackConversation = output<typeof conversation> & { kind: ConversationKind; folder: string | undefined };

const file = object({
  ...{ id: text(), name: text(), title: text(), mimetype: text(), mode: text(), file_access: text(), user: personId() },
  ...{ url_private: text(), url_private_download: text(), permalink: text() },
  size: number(),
});
export type SlackFile = output<typeof file>;

const message = object({
  /** Seconds with six decimals; it identifies the message in its conversation. */
  ts: z.string().check(z.regex(/^\d{9,11}\.\d{6}$/)),
  ...{ type: text(), subtype: text(), user: personId(), bot_id: personId(), username: text(), thread_ts: text() },
  text: text(maxTextCharacters),
  ...{ hidden: flag(), reply_count: number() },
  edited: maybe(object({ ts: text() })),
  user_profile: maybe(object({ real_name: text(), display_name: text(), name: text() })),
  bot_profile: maybe(object({ name: text() })),
  comment: maybe(object({ user: personId(), comment: text() })),
  blocks: listOf(slackBlock, unlimited),
  attachments: listOf(
    object({ ...slackAttachment.shape, from_url: text(), is_share: flag(), files: listOf(file, unlimited) }),
    unlimited,
  ),
  files: listOf(file, unlimited),
  file: maybe(file),
  reactions: listOf(object({ name: text(), users: listOf(id(), unlimited) }), unlimited),
});
export type SlackMessage = output<typeof message>;

export interface SlackExport {
  folder: string;
  users: SlackUser[];
  conversations: SlackConversation[];
  /** For each day, from the first to the last, the files of the conversations that have one. */
  days: { conversation: SlackConversation; path: string }[][];
}

export const isSlackExport = (folder: string): boolean => {
  const { files } = listFolder(folder);
  return (
    userFiles.some((name) => files.includes(name)) && (files.includes("channels.json") || files.includes("dms.json"))
  );
};

const userFiles = ["users.json", "org_users.json"];

const conversationFiles: [file: string, kind: ConversationKind][] = [
  ["channels.json", "channel"],
  ["groups.json", "private"],
  ["mpims.json", "group"],
  ["dms.json", "direct"],
];

/** The other files of an export: none has anything that people wrote. */
const knownFiles = new Set([...userFiles, "integration_logs.json", ...conversationFiles.map(([name]) => name)]);

/** Of folders and files that are not known, so many are named in the report. */
const maxNamed = 50;

/** A conversation's files of one day are in memory at once. */
const maxDayBytes = 256 * 1024 * 1024;

/** Reads everything but the messages; `report` gets what cannot be read. */
export function readSlackExport(folder: string, report: ImportReport): SlackExport {
  const { folders, files } = listFolder(folder);
  const ignore = (what: string, count = 1, example?: string) => count > 0 && report.lacks(what, count, example);
  const readList = <S extends z.ZodMiniType<{ id: string }>>(name: string, item: S): z.output<S>[] => {
    if (!files.includes(name)) return [];
    const json = readJson(folder, name);
    if (!Array.isArray(json)) throw new ArchiveError(`${name} is not a list`);
    const distinct = new Map<string, z.output<S>>();
    for (const [index, entry] of json.entries()) {
      const parsed = item.safeParse(entry);
      if (!parsed.success || distinct.has(parsed.data.id))
        ignore(`entries of ${name} without an ID, or with that of another`, 1, `entry ${index + 1}`);
      if (!parsed.success) continue;
      distinct.set(parsed.data.id, parsed.data);
      for (const field of unreadFields(entry, parsed.data))
        ignore(`fields of ${name} that are not as Slack writes them`, 1, `${field} of entry ${index + 1}`);
    }
    return [...distinct.values()];
  };
  const users = readList(userFiles.find((name) => files.includes(name)) ?? "", user);
  if (users.length === 0) throw new ArchiveError(`users.json has no users${report.missingOf("users.json")}`);
  const unclaimed = new Set(folders);
  const conversations = conversationFiles.flatMap(([name, kind]) =>
    readList(name, conversation).map((one): SlackConversation => {
      const conversationFolder = [one.name, one.id].find((candidate) => unclaimed.delete(candidate));
      return { ...one, kind, folder: conversationFolder };
    }),
  );
  for (const [nth, name] of [...unclaimed].entries()) {
    const which = nth < maxNamed ? `the folder ${name}, which no list of conversations names` : "other such folders";
    ignore(`files of ${which}`, filesIn(folder, name).length);
  }
  ignore(
    "pinned messages and files",
    conversations.reduce((sum, { pins }) => sum + pins.length, 0),
  );
  for (const [nth, name] of files.filter((one) => !knownFiles.has(one)).entries())
    ignore(nth < maxNamed ? `files named ${name}` : "files with other names");

  const days = new Map<string, { conversation: SlackConversation; path: string }[]>();
  for (const one of conversations) {
    if (one.folder === undefined) continue;
    for (const name of filesIn(folder, one.folder)) {
      if (!/^\d{4}-\d\d-\d\d\.json$/.test(name)) {
        ignore("files in conversations that are not of a day, such as canvases", 1, join(one.folder, name));
        continue;
      }
      const day = days.get(name) ?? [];
      day.push({ conversation: one, path: join(one.folder, name) });
      days.set(name, day);
    }
  }
  return {
    folder,
    users,
    conversations,
    days: [...days].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, paths]) => paths),
  };
}

const filesIn = (folder: string, name: string) => listFolder(join(folder, name)).files;

/** What programs put together in many forms, of which the text is shown where nothing else can be read. */
const formatted = new Set(["blocks", "attachments"]);

/** A message with where it is. */
interface Placed {
  conversation: SlackConversation;
  message: SlackMessage;
  /** The file that has it. */
  path: string;
}

/**
 * All messages in the order of their times, a day at a time. Messages that are in two files of a conversation come once. Calls
 * `ignore` for entries that are no messages.
 */
export function* messagesOf(
  { folder, days }: SlackExport,
  ignore: (what: string, example?: string) => void = () => {},
): Generator<Placed> {
  const newest = new Map<string, string>();
  for (const paths of days) {
    const bytes = paths.reduce((sum, { path }) => sum + statSync(join(folder, path)).size, 0);
    if (bytes > maxDayBytes)
      throw new ArchiveError(`The files of one day (${paths[0]?.path}) have more than ${maxDayBytes / 1024 / 1024} MB`);
    const placed = paths.flatMap(({ conversation: where, path }) => {
      const json = readJson(folder, path);
      if (!Array.isArray(json)) throw new ArchiveError(`${path} is not a list`);
      return json.flatMap((entry, index): (Placed & { at: string })[] => {
        const parsed = message.safeParse(entry);
        if (!parsed.success)
          ignore("entries that are not messages, because they have no valid time", `entry ${index + 1} of ${path}`);
        for (const field of parsed.success ? unreadFields(entry, parsed.data, formatted) : [])
          ignore("fields of messages that are not as Slack writes them", `${field} of entry ${index + 1} of ${path}`);
        return parsed.success
          ? [{ conversation: where, message: parsed.data, path, at: parsed.data.ts.padStart(18, "0") }]
          : [];
      });
    });
    // A stable sort: messages of the same time stay in the order of the conversations.
    placed.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
    for (const { conversation: where, message: one, path, at } of placed) {
      if (newest.get(where.id) === at) ignore("messages that are twice in the archive", `${one.ts} in ${path}`);
      else yield { conversation: where, message: one, path };
      newest.set(where.id, at);
    }
  }
}
