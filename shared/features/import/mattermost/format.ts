import { join } from "node:path";
import * as z from "zod/mini";
import { flag, listOf, maybe, object, type output, text } from "../../integrations/fields.ts";
import { ArchiveError, findFileIn, listFolder, readFileIn } from "../archive.ts";
import type { ImportReport } from "../report.ts";
import { unreadFields } from "../unread-fields.ts";
import { firstValueOf, linesOf } from "./lines.ts";
import { fromMattermost, type MattermostNames } from "./markdown.ts";
import { Spool } from "./spool.ts";

/**
 * The files of a bulk export of Mattermost (https://docs.mattermost.com/administration-guide/onboard/bulk-loading-data.html): one
 * with an object of JSON in each line, the first of which has the version, and the folder `data` with files and pictures.
 */

const unlimited = Number.POSITIVE_INFINITY;
/** More than a message of Mattermost can have, which is 16,383 characters. */
const maxTextCharacters = 100_000;
/** UNIX milliseconds until the end of the year 9999; 0 if they are absent or something else. */
const milliseconds = () => z.catch(z.number().check(z.minimum(0), z.maximum(253_402_300_799_000)), 0);

/** A name by which things refer to others, without case. */
const name = () =>
  z.pipe(
    z.string().check(z.minLength(1), z.maxLength(200)),
    z.transform((value) => value.toLowerCase()),
  );
/** The same; empty if it is absent or something else. */
const maybeName = () => z.catch(name(), "");

const team = object({
  name: name(),
  ...{ display_name: text(), description: text() },
});
export type MattermostTeam = output<typeof team>;

const channel = object({
  ...{ team: name(), name: name() },
  ...{ display_name: text(), type: text(), header: text(), purpose: text(), deleted_at: milliseconds() },
});
export interface MattermostChannel extends output<typeof channel> {
  /** Whether only its administrators and those of the organization may write. */
  isReadOnly?: boolean;
  /** Whether new people join it, if this does not follow from its name. */
  isDefault?: boolean;
  /** The name of the folder that it is in, where these are not made of teams. */
  folder?: string;
}

const membership = object({
  ...{ name: name(), roles: text(), favorite: flag() },
  notify_props: maybe(object({ mark_unread: text() })),
});
const user = object({
  username: name(),
  ...{ email: text(), nickname: text(), first_name: text(), last_name: text(), position: text(), roles: text() },
  ...{ delete_at: milliseconds(), profile_image: text() },
  custom_status: maybe(object({ text: text() })),
  teams: listOf(object({ name: name(), roles: text(), channels: listOf(membership, unlimited) }), unlimited),
});
export type MattermostUser = output<typeof user>;

const bot = object({
  username: name(),
  ...{ owner: maybeName(), display_name: text(), delete_at: milliseconds(), profile_image: text() },
});
export type MattermostBot = output<typeof bot>;

const emoji = object({ name: name(), image: text() });

const directChannel = object({
  members: listOf(name(), unlimited),
  participants: listOf(object({ username: name() }), unlimited),
});

const attachment = object({
  ...{ fallback: text(), pretext: text(), author_name: text(), author_link: text(), title: text(), title_link: text() },
  ...{ text: text(maxTextCharacters), image_url: text(), footer: text() },
  fields: listOf(object({ title: text(), value: text() })),
});
export type MattermostAttachment = output<typeof attachment>;

const reply = object({
  user: maybeName(),
  ...{ type: text(), message: text(maxTextCharacters), create_at: milliseconds(), edit_at: milliseconds() },
  props: maybe(
    object({
      /** A boolean, or as text. */
      from_webhook: z.catch(z.union([z.boolean(), z.string()]), false),
      ...{ override_username: text(), webhook_display_name: text() },
      attachments: listOf(attachment),
    }),
  ),
  flagged_by: listOf(name(), unlimited),
  reactions: listOf(object({ user: name(), emoji_name: name() }), unlimited),
  attachments: listOf(object({ path: text() }), unlimited),
  is_pinned: flag(),
});
const post = object({ ...reply.shape, team: name(), channel: name(), replies: listOf(z.unknown(), unlimited) });
const directPost = object({
  ...reply.shape,
  channel_members: listOf(name(), unlimited),
  replies: listOf(z.unknown(), unlimited),
});

/** A message, with where it is. */
export interface MattermostMessage extends output<typeof reply> {
  /** The file that it is in, if this is not that of the export. */
  file?: string;
  /** The line of its post. */
  line: number;
  /** Which reply it is, from 1 on; 0: it is the post. */
  reply: number;
  /** Whether the post has replies, or is one. */
  isInThread: boolean;
  /** The number of its thread, if this is not that of the line. */
  thread?: number | undefined;
  /** What the thread is called, if this is not the beginning of its post. */
  title?: string | undefined;
  /** Where it was sent: to a channel of a team, or to people. */
  channel: string | undefined;
  members: string[];
}

/** What other chats call what is alike in them. */
export interface Dialect {
  /** The chat's name. */
  product: string;
  /** What the file of messages consists of. */
  row: "line" | "document" | "message";
  /** The file that has the people. */
  peopleFile: string;
  /** What a text has that links to another message. */
  messageLink: RegExp;
  /** The key of the channel to which a path in the chat leads. */
  channelAt(path: string): string | undefined;
  toMarkdown(text: string, names: MattermostNames): string;
  /** Where in the archive a file is that something names; undefined if it is not there, or too large. */
  findFile(path: string): string | undefined;
  readFile(place: string): Buffer | undefined;
}

export interface MattermostExport {
  dialect: Dialect;
  /** The file with the lines. */
  file: string;
  teams: MattermostTeam[];
  channels: MattermostChannel[];
  users: MattermostUser[];
  bots: MattermostBot[];
  emoji: output<typeof emoji>[];
  /** The names of those who have a direct or group conversation. */
  directChannels: string[][];
  messages: Spool<MattermostMessage>;
}

/** Identifies a channel among those of all teams. */
export const channelKey = ({ team: teamName, name: own }: Pick<MattermostChannel, "team" | "name">) =>
  `${teamName}/${own}`;

const versionLine = z.object({ type: z.literal("version"), version: z.unknown() });

/** The file of an export that has its lines; undefined if this is none. `mmctl` writes `import.jsonl`, the server `.json`. */
const findLines = (folder: string): string | undefined =>
  listFolder(folder).files.find(
    (file) => /\.jsonl?$/i.test(file) && versionLine.safeParse(firstValueOf(folder, file)).success,
  );

export const isMattermostExport = (folder: string): boolean => findLines(folder) !== undefined;

/** Kinds of lines that have nothing of what people wrote. */
const passedOver: ReadonlyMap<unknown, string> = new Map([
  ["role", "roles and permission schemes"],
  ["scheme", "roles and permission schemes"],
]);

/** Of values that have forms of their own, or are not shown if they are in another. */
const formatted = new Set(["props", "replies"]);

/** Reads the whole export, the messages into a temporary file; `report` gets what cannot be read. */
export function readMattermostExport(folder: string, report: ImportReport): MattermostExport {
  const file = findLines(folder);
  if (file === undefined) throw new ArchiveError("No file begins with the version of a bulk export");
  const archive: MattermostExport = {
    dialect: dialectOf(folder, file),
    ...{ file, teams: [], channels: [], users: [], bots: [], emoji: [], directChannels: [] },
    messages: new Spool(),
  };
  const reader = new LineReader(archive, report);
  for (const { number, value } of linesOf(folder, file)) reader.read(number, value);
  const { folders, files } = listFolder(folder);
  const others = files.filter((one) => one !== file);
  if (others.length > 0) report.lacks(`files besides ${file}`, others.length, others[0]);
  const otherFolders = folders.filter((one) => !knownFolders.has(one));
  if (otherFolders.length > 0) report.lacks("folders that are not of an export", otherFolders.length, otherFolders[0]);
  return archive;
}

const dialectOf = (folder: string, file: string): Dialect => ({
  ...{ product: "Mattermost", row: "line", peopleFile: file, messageLink: /\/pl\/[a-z0-9]{26}/ },
  channelAt: (path) => {
    const [, team = "", name = ""] = /\/([^/]+)\/channels\/([^/]+)\/?$/.exec(path.toLowerCase()) ?? [];
    return channelKey({ team, name });
  },
  toMarkdown: fromMattermost,
  findFile: (path) =>
    path.trim() === "" ? undefined : [join("data", path), path].find((one) => findFileIn(folder, one) !== undefined),
  readFile: (place) => readFileIn(folder, place),
});

/** Since version 6 everything is in `data`. */
const knownFolders = new Set(["data", "exported_emoji"]);

class LineReader {
  readonly #archive: MattermostExport;
  readonly #report: ImportReport;
  /** The kinds and names of what has been read, which must differ. */
  readonly #known = new Set<string>();

  constructor(archive: MattermostExport, report: ImportReport) {
    this.#archive = archive;
    this.#report = report;
  }

  read(line: number, value: unknown): void {
    const { teams, channels, users, bots, emoji: pictures, directChannels, file } = this.#archive;
    const { type } = (typeof value === "object" && value !== null ? value : {}) as { type?: unknown };
    const entry = typeof type === "string" ? (value as Record<string, unknown>)[type] : undefined;
    switch (type) {
      case "version":
        if (entry !== 1)
          throw new ArchiveError(`${file} has the version ${String(entry).slice(0, 100)}, and only 1 is known`);
        break;
      case "team":
        this.#add(line, team, entry, teams, (one) => `team ${one.name}`);
        break;
      case "channel":
        this.#add(line, channel, entry, channels, (one) => `channel ${channelKey(one)}`);
        break;
      case "user":
        this.#add(line, user, entry, users, (one) => `user ${one.username}`);
        break;
      case "bot":
        this.#add(line, bot, entry, bots, (one) => `bot ${one.username}`);
        break;
      case "emoji":
        this.#add(line, emoji, entry, pictures, (one) => `emoji ${one.name}`);
        break;
      case "direct_channel": {
        const read = this.#parse(line, directChannel, entry);
        const members = read && [...read.members, ...read.participants.map(({ username }) => username)];
        if (members && members.length > 0) directChannels.push([...new Set(members)]);
        break;
      }
      case "post": {
        const read = this.#parse(line, post, entry);
        if (read)
          this.#addPost(line, entry, { ...read, channel: channelKey({ ...read, name: read.channel }), members: [] });
        break;
      }
      case "direct_post": {
        const read = this.#parse(line, directPost, entry);
        if (read)
          this.#addPost(line, entry, { ...read, channel: undefined, members: [...new Set(read.channel_members)] });
        break;
      }
      default:
        this.#report.lacks(
          passedOver.get(type) ?? `lines of ${file} of kinds that are not known`,
          1,
          passedOver.has(type) ? undefined : `line ${line}`,
        );
    }
  }

  #add<S extends z.ZodMiniType>(
    line: number,
    schema: S,
    entry: unknown,
    to: z.output<S>[],
    keyOf: (one: z.output<S>) => string,
  ): void {
    const read = this.#parse(line, schema, entry);
    if (read === undefined) return;
    const isNew = !this.#known.has(keyOf(read));
    this.#known.add(keyOf(read));
    if (isNew) to.push(read);
    else
      this.#report.lacks(`lines of ${this.#archive.file} about something that an earlier one has`, 1, `line ${line}`);
  }

  #parse<S extends z.ZodMiniType>(line: number, schema: S, entry: unknown, reply = 0): z.output<S> | undefined {
    const parsed = schema.safeParse(entry);
    const { file } = this.#archive;
    const where = reply === 0 ? `line ${line}` : `reply ${reply} in line ${line}`;
    if (!parsed.success) {
      this.#report.lacks(`lines of ${file} without the name of what they are about`, 1, where);
      return undefined;
    }
    for (const field of unreadFields(entry, parsed.data, formatted))
      this.#report.lacks(`fields of ${file} that are not as Mattermost writes them`, 1, `${field} in ${where}`);
    return parsed.data;
  }

  #addPost(
    line: number,
    entry: unknown,
    {
      replies,
      ...read
    }: output<typeof reply> & Pick<MattermostMessage, "channel" | "members"> & { replies: unknown[] },
  ): void {
    const { channel: key, members } = read;
    if (!Array.isArray((entry as { replies?: unknown }).replies ?? []))
      this.#report.lacks(
        `fields of ${this.#archive.file} that are not as Mattermost writes them`,
        1,
        `replies in line ${line}`,
      );
    const place = { line, isInThread: replies.length > 0, channel: key, members };
    this.#spool({ ...read, ...place, reply: 0 });
    for (const [index, raw] of replies.entries()) {
      const parsed = this.#parse(line, reply, raw, index + 1);
      if (parsed) this.#spool({ ...parsed, ...place, reply: index + 1 });
    }
  }

  #spool(message: MattermostMessage): void {
    if (message.create_at > 0) this.#archive.messages.add(message.create_at, message);
    else this.#report.lacks("messages without a time", 1, sourceOf(message, this.#archive));
  }
}

/** Where a message is in the archive, as a part of a sentence. */
export const sourceOf = (
  { line, reply: nth, file: own }: Pick<MattermostMessage, "line" | "reply" | "file">,
  { file: common, dialect: { row } }: MattermostExport,
  file = own ?? common,
) => (nth === 0 ? `${row} ${line} of ${file}` : `reply ${nth} in ${row} ${line} of ${file}`);
