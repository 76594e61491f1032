import { closeSync, openSync, readSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import { flag, listOf, maybe, object, type output, text } from "../../integrations/fields.ts";
import { ArchiveError, findFileIn, listFolder, readFileIn } from "../archive.ts";
import { rowsOf } from "../json-rows.ts";
import type { Dialect, MattermostExport, MattermostMessage, MattermostUser } from "../mattermost/format.ts";
import { Spool } from "../mattermost/spool.ts";
import type { ImportReport } from "../report.ts";
import { unreadFields } from "../unread-fields.ts";
import { type DiscordNames, fromDiscord } from "./markup.ts";

/**
 * The files that DiscordChatExporter writes as JSON (https://github.com/Tyrrrz/DiscordChatExporter), read in the form of a bulk export of
 * Mattermost, which has all that comes of them: a file for each channel, thread and conversation, or several for its parts.
 */

const unlimited = Number.POSITIVE_INFINITY;
const maxTextCharacters = 100_000;
const maxHeaderBytes = 256 * 1024;
const maxFolderDepth = 4;
const maxQuotedCharacters = 300;

const id = () => z.string().check(z.regex(/^\d{1,25}$/));
const maybeId = () => z.catch(id(), "");
/** UNIX milliseconds until the end of the year 9999; 0 if they are absent or something else. */
const time = () =>
  z.catch(
    z.pipe(
      z.pipe(
        z.string().check(z.maxLength(100)),
        z.transform((moment) => Date.parse(moment)),
      ),
      z.number().check(z.minimum(0), z.maximum(253_402_300_799_000)),
    ),
    0,
  );

const header = object({
  guild: object({ id: id(), name: text() }),
  channel: object({
    id: id(),
    ...{ type: text(), categoryId: maybeId(), category: text(), name: text(), topic: text() },
  }),
});
type Header = output<typeof header>;

const person = object({
  id: id(),
  ...{ name: text(), nickname: text(), isBot: flag(), avatarUrl: text(2000) },
  roles: listOf(object({ id: id(), name: text() })),
});
type Person = output<typeof person>;

const emoji = object({ id: maybeId(), name: text(), code: text(), imageUrl: text(2000) });
const embed = object({
  ...{ title: text(), url: text(2000), description: text(maxTextCharacters) },
  author: maybe(object({ name: text(), url: text(2000) })),
  image: maybe(object({ url: text(2000), canonicalUrl: text(2000) })),
  footer: maybe(object({ text: text() })),
  fields: listOf(object({ name: text(), value: text() })),
});
const content = {
  content: text(maxTextCharacters),
  attachments: listOf(object({ url: text(2000), fileName: text() }), unlimited),
  embeds: listOf(embed),
  stickers: listOf(object({ name: text(), sourceUrl: text(2000) })),
  inlineEmojis: listOf(emoji, unlimited),
};
const message = object({
  id: id(),
  ...{ type: text(), timestamp: time(), timestampEdited: time(), isPinned: flag() },
  author: person,
  ...content,
  mentions: listOf(person, unlimited),
  reactions: listOf(object({ emoji, count: z.catch(z.number(), 0), users: listOf(person, unlimited) }), unlimited),
  reference: maybe(object({ messageId: maybeId() })),
  forwardedMessage: maybe(object(content)),
});
type Message = output<typeof message>;

/** Times are read as numbers. */
const converted = new Set(["timestamp", "timestampEdited"]);

/** Of what people and programs write; the others are notices. Discord's numbers are of commands. */
const writtenTypes = new Set(["Default", "Reply", "20", "23"]);

interface ChannelFile extends Header {
  path: string;
}

/** What a file has before its messages; undefined if it is no export of a channel. */
function headerOf(folder: string, path: string): Header | undefined {
  const file = openSync(join(folder, path), "r");
  try {
    const bytes = Buffer.alloc(maxHeaderBytes);
    const beginning = bytes.toString("utf8", 0, readSync(file, bytes)).replace(/^\ufeff/, "");
    const [, fields] = /^([\s\S]*?),\s*"messages"\s*:\s*\[/.exec(beginning) ?? [];
    return fields === undefined ? undefined : header.safeParse(JSON.parse(`${fields}}`)).data;
  } catch {
    return undefined;
  } finally {
    closeSync(file);
  }
}

/** The files of JSON in a folder and those within it, without the folders of what was downloaded with them. */
function jsonFilesIn(folder: string, within = "", depth = 0): string[] {
  const { files, folders } = listFolder(join(folder, within));
  return [
    ...files.filter((name) => /\.json$/i.test(name)).map((name) => join(within, name)),
    ...folders
      .filter((name) => depth < maxFolderDepth && !/_Files$/i.test(name))
      .flatMap((name) => jsonFilesIn(folder, join(within, name), depth + 1)),
  ];
}

export const isDiscordExport = (folder: string): boolean =>
  jsonFilesIn(folder).some((path) => headerOf(folder, path) !== undefined);

/** Who manages the organization, by a name in Discord. */
interface DiscordOwner {
  name: string;
  address: string;
}

/** Reads all files, the messages into a temporary file; `report` gets what cannot be read. */
export function readDiscordExport(folder: string, owner: DiscordOwner, report: ImportReport): MattermostExport {
  return new ExportReader(folder, owner, report).read();
}

const isDirect = ({ channel: { type } }: Header) => type.startsWith("Direct");
const isThread = ({ channel: { type, categoryId } }: Header) =>
  /^Guild(?:Public|News)Thread$/.test(type) && categoryId !== "";
/** The ID of the account to which Discord assigns what deleted ones wrote. */
const deletedUser = "456226577798135808";

class ExportReader {
  readonly #folder: string;
  readonly #owner: DiscordOwner;
  readonly #report: ImportReport;
  readonly #files: ChannelFile[] = [];
  readonly #people = new Map<string, Person & { picture: string }>();
  readonly #roles = new Map<string, string>();
  /** The IDs of those who wrote in each channel or conversation, or reacted there, so that they can read it. */
  readonly #readers = new Map<string, Set<string>>();
  /** The numbers of threads by their IDs, which are those of the messages with which they begin. */
  readonly #threads = new Map<string, { number: number; name: string }>();
  readonly #emoji = new Map<string, string>();
  /** What replies quote, by the IDs of messages. */
  readonly #quoted = new Map<string, string>();
  readonly #known = new Set<string>();

  constructor(folder: string, owner: DiscordOwner, report: ImportReport) {
    this.#folder = folder;
    this.#owner = owner;
    this.#report = report;
  }

  read(): MattermostExport {
    for (const path of jsonFilesIn(this.#folder)) {
      const found = headerOf(this.#folder, path);
      if (found) this.#files.push({ path, ...found });
      else this.#report.lacks("files that are no export of a channel", 1, path);
    }
    for (const one of this.#files)
      if (isThread(one) && !this.#threads.has(one.channel.id))
        this.#threads.set(one.channel.id, { number: this.#threads.size + 1, name: one.channel.name });
    for (const file of this.#files) for (const { value } of this.#messagesIn(file, () => {})) this.#survey(file, value);
    const guilds = new Map(
      this.#files.filter((one) => !isDirect(one)).map(({ guild }) => [guild.id, guild.name] as const),
    );
    const archive: MattermostExport = {
      dialect: this.#dialect(),
      ...{ file: this.#files[0]?.path ?? "", messages: new Spool(), bots: [], users: [], channels: [] },
      teams: [...guilds].map(([name, display_name]) => ({ name, display_name, description: "" })),
      directChannels: this.#files.filter(isDirect).map((one) => [...(this.#readers.get(keyOf(one)) ?? [])]),
      emoji: [...this.#emoji].map(([name, image]) => ({ name, image })),
    };
    if (archive.teams.length === 0) archive.teams.push({ name: "", display_name: "", description: "" });
    archive.directChannels = archive.directChannels.filter((names) => names.length > 0);
    this.#addChannels(archive);
    this.#addPeople(archive);
    for (const file of this.#files)
      for (const { number, value } of this.#messagesIn(file, (what, example) => this.#report.lacks(what, 1, example)))
        this.#add(archive, file, number, value);
    return archive;
  }

  *#messagesIn(
    { path }: ChannelFile,
    lacks: (what: string, example: string) => void,
  ): Generator<{ number: number; value: Message }> {
    let number = 0;
    for (const { table, row } of rowsOf(this.#folder, path)) {
      if (table !== "messages") continue;
      number++;
      const where = `message ${number} of ${path}`;
      const parsed = message.safeParse(row);
      if (!parsed.success) {
        lacks("messages without an ID or an author", where);
        continue;
      }
      for (const field of unreadFields(row, parsed.data, converted))
        lacks("fields that are not as DiscordChatExporter writes them", `${field} in ${where}`);
      yield { number, value: parsed.data };
    }
  }

  #survey(file: ChannelFile, one: Message): void {
    const readers = this.#readers.get(keyOf(file)) ?? new Set();
    this.#readers.set(keyOf(file), readers);
    const reacted = one.reactions.flatMap(({ users }) => users);
    for (const someone of [one.author, ...one.mentions, ...reacted]) {
      for (const role of someone.roles) this.#roles.set(role.id, role.name);
      const known = this.#people.get(someone.id);
      // Those who are mentioned or react come without some of it.
      const picture = known?.picture || pathOf(file, someone.avatarUrl, "picture");
      this.#people.set(someone.id, { ...(known ?? someone), picture });
    }
    for (const someone of [one.author, ...reacted]) readers.add(someone.id);
    for (const { id: own, name, imageUrl } of [...one.inlineEmojis, ...one.reactions.map((it) => it.emoji)])
      if (own !== "" && name !== "" && !this.#emoji.has(name.toLowerCase()))
        this.#emoji.set(name.toLowerCase(), pathOf(file, imageUrl, name));
    if (one.reference?.messageId) this.#quoted.set(one.reference.messageId, "");
  }

  #dialect(): Dialect {
    const placeOf = (path: string): string => {
      const [encoded = ""] = path.split("/", 1);
      try {
        return decodeURIComponent(encoded);
      } catch {
        return "";
      }
    };
    const find = (path: string): string | undefined => {
      const place = placeOf(path);
      const found = place !== "" && findFileIn(this.#folder, place);
      return found ? path : undefined;
    };
    return {
      ...{ product: "Discord", row: "message", peopleFile: "The archive", messageLink: /(?!)/ },
      channelAt: () => undefined,
      toMarkdown: (source, { user, channel, emoji: emojiNamed }) => {
        const names: DiscordNames = {
          user: (own) => user(own, false),
          role: (own) => this.#roles.get(own),
          channel: (own) => channel(own) ?? this.#threads.get(own)?.name,
          emoji: (name) => emojiNamed(name.toLowerCase()),
        };
        return fromDiscord(source, names);
      },
      findFile: find,
      readFile: (path) => readFileIn(this.#folder, placeOf(path)),
    };
  }

  #addChannels({ channels }: MattermostExport): void {
    const known = new Set<string>();
    // A channel of which only threads are in the archive, such as a forum, is known by these alone.
    const sorted = [...this.#files.filter((one) => !isThread(one)), ...this.#files.filter(isThread)];
    for (const one of sorted.filter((file) => !isDirect(file))) {
      const { guild, channel } = one;
      const key = keyOf(one);
      if (known.has(key)) continue;
      known.add(key);
      channels.push({
        ...{ team: guild.id, name: isThread(one) ? channel.categoryId : channel.id, deleted_at: 0, type: "P" },
        ...{ display_name: isThread(one) ? channel.category : channel.name, header: "", isDefault: false },
        ...{
          purpose: isThread(one) ? "" : channel.topic,
          folder: /Thread$/.test(channel.type) ? "" : channel.category,
        },
      });
    }
  }

  #addPeople({ users, bots, channels }: MattermostExport): void {
    const owner = this.#findOwner();
    for (const one of this.#people.values()) {
      const common = { username: one.id, delete_at: one.id === deletedUser ? 1 : 0, profile_image: one.picture };
      const name = one.nickname || one.name;
      if (one.isBot) {
        bots.push({ ...common, owner: "", display_name: name });
        continue;
      }
      const isOwner = one === owner;
      const own = channels.filter((it) => isOwner || this.#readers.get(`${it.team}/${it.name}`)?.has(one.id));
      const memberships = Map.groupBy(own, ({ team }) => team);
      users.push({
        ...{
          ...common,
          email: isOwner ? this.#owner.address : "",
          first_name: name,
          last_name: "",
          nickname: one.name,
        },
        ...{ position: "", custom_status: undefined, roles: isOwner ? "system_admin" : "" },
        teams: [...memberships].map(([team, listed]) => ({
          name: team,
          roles: "",
          channels: listed.map(
            (it): Membership => ({
              ...{ name: it.name, roles: isOwner ? "channel_admin" : "", favorite: false, notify_props: undefined },
            }),
          ),
        })),
      });
    }
  }

  #findOwner(): Person {
    const wanted = this.#owner.name.toLowerCase();
    const people = [...this.#people.values()].filter(({ isBot }) => !isBot);
    const found = [
      (one: Person) => one.id === wanted,
      (one: Person) => one.name.toLowerCase() === wanted,
      (one: Person) => one.nickname.toLowerCase() === wanted,
    ].map((isMeant) => people.filter(isMeant));
    const named = found.find((some) => some.length > 0) ?? [];
    if (named.length > 1)
      throw new ArchiveError(
        `${named.length} people in the archive are called ${this.#owner.name}: name the owner by the ID in Discord, such as ${named[0]?.id}=${this.#owner.address}`,
      );
    const [one] = named;
    if (!one) throw new ArchiveError(`Nobody in the archive is called ${this.#owner.name}, whom --owner names`);
    return one;
  }

  #add(archive: MattermostExport, file: ChannelFile, number: number, one: Message): void {
    const where = `message ${number} of ${file.path}`;
    if (this.#known.has(one.id)) {
      this.#report.lacks("messages with an ID that an earlier one has", 1, where);
      return;
    }
    this.#known.add(one.id);
    if (!writtenTypes.has(one.type)) {
      this.#report.lacks("notices of Discord, such as who joined");
      return;
    }
    if (one.timestamp === 0) {
      this.#report.lacks("messages without a time", 1, where);
      return;
    }
    const own = [one.content, one.forwardedMessage && quote(one.forwardedMessage.content)].filter(Boolean).join("\n\n");
    if (this.#quoted.has(one.id)) this.#quoted.set(one.id, quote(`<@${one.author.id}>:\n${beginningOf(own)}`));
    const answered = this.#quoted.get(one.reference?.messageId ?? "") ?? "";
    const thread = this.#threads.get(isThread(file) ? file.channel.id : one.id);
    const [team = "", name = ""] = keyOf(file).split("/");
    for (const {
      count,
      users,
      emoji: { name: emojiName },
    } of one.reactions)
      if (count > users.length)
        this.#report.lacks("reactions of people whom the archive does not name", 1, `${emojiName} on ${where}`);
    archive.messages.add(one.timestamp, {
      ...{ line: number, file: file.path, reply: 0, isInThread: thread !== undefined, thread: thread?.number },
      ...{ title: thread?.name, channel: isDirect(file) ? undefined : `${team}/${name}` },
      members: isDirect(file) ? [...(this.#readers.get(keyOf(file)) ?? [])] : [],
      ...{ user: one.author.id, type: "", message: [answered, own].filter(Boolean).join("\n\n") },
      ...{ create_at: one.timestamp, edit_at: one.timestampEdited, is_pinned: one.isPinned, flagged_by: [] },
      props: propsOf(one),
      reactions: one.reactions.flatMap(({ emoji: it, users }) =>
        users.map(({ id: user }) => ({
          user,
          emoji_name: (it.id === "" ? it.code || it.name : it.name).toLowerCase(),
        })),
      ),
      attachments: [one, ...(one.forwardedMessage ? [one.forwardedMessage] : [])].flatMap((it) => [
        ...it.attachments.map(({ url, fileName }) => ({ path: pathOf(file, url, fileName) })),
        ...it.stickers.map(({ sourceUrl, name: sticker }) => ({
          path: pathOf(file, sourceUrl, `${sticker} (sticker)`),
        })),
      ]),
    });
  }
}

type Membership = MattermostUser["teams"][number]["channels"][number];

/** The place of a file's messages: that of a thread is its channel. */
const keyOf = (one: Header): string =>
  `${isDirect(one) ? "" : one.guild.id}/${isThread(one) ? one.channel.categoryId : one.channel.id}`;

/** What is downloaded has a path from the file that names it; the last part is what people call it. Empty: it is not downloaded. */
function pathOf({ path }: ChannelFile, url: string, name: string): string {
  const isLocal = url !== "" && !/^[a-z]{2,}:/i.test(url);
  const place = isLocal ? join(dirname(path), url.replaceAll("\\", "/")) : "";
  return `${encodeURIComponent(place.toWellFormed())}/${name.replaceAll("/", "-") || "file"}`;
}

const quote = (source: string): string => source.replace(/^/gm, "> ");

const beginningOf = (source: string): string =>
  source.length <= maxQuotedCharacters ? source : `${source.slice(0, maxQuotedCharacters).toWellFormed()} …`;

/** What programs wrote in boxes; a preview of a link that the text has does not come. */
function propsOf({ embeds, content: source }: Message): MattermostMessage["props"] {
  const shown = embeds.filter(({ url }) => url === "" || !source.includes(url));
  if (shown.length === 0) return undefined;
  return {
    ...{ from_webhook: false, override_username: "", webhook_display_name: "" },
    attachments: shown.map(({ title, url, description, author, image, footer, fields }) => ({
      ...{ pretext: "", fallback: "", title, title_link: url, text: description, footer: footer?.text ?? "" },
      ...{ author_name: author?.name ?? "", author_link: author?.url ?? "" },
      image_url: image?.canonicalUrl || image?.url || "",
      fields: fields.map(({ name, value }) => ({ title: name, value })),
    })),
  };
}
