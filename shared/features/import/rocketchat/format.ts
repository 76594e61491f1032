import * as z from "zod/mini";
import { flag, listOf, maybe, object, type output, record, text } from "../../integrations/fields.ts";
import { listFolder } from "../archive.ts";
import type { Dialect, MattermostExport, MattermostMessage, MattermostUser } from "../mattermost/format.ts";
import { fromMattermost } from "../mattermost/markdown.ts";
import { Spool } from "../mattermost/spool.ts";
import type { ImportReport } from "../report.ts";
import { unreadFields } from "../unread-fields.ts";
import { documentsOf } from "./bson.ts";
import { GridFiles } from "./grid-files.ts";
import { fromRocketChat } from "./markup.ts";

/**
 * The database of Rocket.Chat as `mongodump` writes it, read in the form of a bulk export of Mattermost, which has all that comes of it: a
 * file of BSON for each collection. Its rooms are channels, discussions within them, and conversations.
 */

const unlimited = Number.POSITIVE_INFINITY;
/** More than the settings of Rocket.Chat usually allow, which is 5,000 characters. */
const maxTextCharacters = 100_000;
/** UNIX milliseconds until the end of the year 9999; 0 if they are absent or something else. */
const milliseconds = () =>
  z.catch(
    z.pipe(
      z.pipe(
        z.date(),
        z.transform((date) => date.getTime()),
      ),
      z.number().check(z.minimum(0), z.maximum(253_402_300_799_000)),
    ),
    0,
  );
const id = () => z.string().check(z.minLength(1), z.maxLength(200));
const maybeId = () => z.catch(id(), "");

const user = object({
  _id: id(),
  username: id(),
  ...{ name: text(), type: text(), bio: text(), statusText: text() },
  active: z.catch(z.boolean(), true),
  roles: listOf(z.string()),
  emails: listOf(object({ address: text() })),
  __rooms: listOf(id(), unlimited),
});
type User = output<typeof user>;

const room = object({
  _id: id(),
  ...{ t: text(), name: text(), fname: text(), description: text(), topic: text(), announcement: text() },
  ...{ prid: maybeId(), ro: flag(), archived: flag(), default: flag() },
  ...{ uids: listOf(id(), unlimited), usernames: listOf(id(), unlimited) },
});
type Room = output<typeof room>;

const subscription = object({
  rid: id(),
  u: object({ _id: id() }),
  ...{ roles: listOf(z.string()), f: flag(), disableNotifications: flag() },
});

const attachment = object({
  ...{ title: text(), title_link: text(), text: text(maxTextCharacters), pretext: text(), description: text() },
  ...{ author_name: text(), author_link: text(), message_link: text(), image_url: text(), video_url: text() },
  ...{ audio_url: text(), fallback: text() },
  fields: listOf(object({ title: text(), value: text() })),
});
type Attachment = output<typeof attachment>;

const file = object({ _id: id(), name: text(), typeGroup: text() });

const message = object({
  _id: id(),
  rid: id(),
  u: object({ _id: maybeId(), username: maybeId() }),
  ...{ msg: text(maxTextCharacters), t: text(), alias: text(), tmid: maybeId(), _hidden: flag(), pinned: flag() },
  ...{ ts: milliseconds(), editedAt: milliseconds(), bot: maybe(record(z.string(), z.unknown())) },
  starred: listOf(object({ _id: id() }), unlimited),
  reactions: maybe(record(z.string(), object({ usernames: listOf(id(), unlimited) }))),
  ...{ file: maybe(file), files: listOf(file), attachments: listOf(attachment) },
});
type Message = output<typeof message>;

const emoji = object({ name: id(), extension: text(), aliases: listOf(id()) });
const avatar = object({ _id: id(), name: text(), userId: text() });
const setting = object({ _id: id(), value: text() });

const files = {
  ...{ users: "users.bson", rooms: "rocketchat_room.bson", messages: "rocketchat_message.bson" },
  ...{ subscriptions: "rocketchat_subscription.bson", emoji: "rocketchat_custom_emoji.bson" },
  ...{ avatars: "rocketchat_avatars.bson", settings: "rocketchat_settings.bson" },
  uploadChunks: "rocketchat_uploads.chunks.bson",
  emojiChunks: "custom_emoji.chunks.bson",
  avatarChunks: "rocketchat_avatars.chunks.bson",
};

export function isRocketChatDump(folder: string): boolean {
  const found = new Set(listFolder(folder).files);
  return [files.users, files.rooms, files.messages].every((name) => found.has(name));
}

/** Names are without case in the form of Mattermost. */
const keyOf = (name: string): string => name.toLowerCase().slice(0, 200);

/** Reads the whole dump, the messages into a temporary file; `report` gets what cannot be read. */
export function readRocketChatDump(folder: string, report: ImportReport): MattermostExport {
  return new DumpReader(folder, report).read();
}

class DumpReader {
  readonly #folder: string;
  readonly #report: ImportReport;
  readonly #files: readonly string[];
  readonly #grids: Record<"uploads" | "emoji" | "avatars", GridFiles>;
  /** By their IDs, people's names as keys. */
  readonly #names = new Map<string, string>();
  readonly #taken = new Set<string>();
  readonly #rooms = new Map<string, Room>();
  /** The keys of channels, by the IDs of their rooms, and by the names by which texts mean them. */
  readonly #channels = new Map<string, string>();
  readonly #channelNames = new Map<string, string>();
  /** The numbers of topics, by the IDs of discussions and of the messages with which threads begin. */
  readonly #topics = new Map<string, number>();

  constructor(folder: string, report: ImportReport) {
    this.#folder = folder;
    this.#report = report;
    this.#files = listFolder(folder).files;
    this.#grids = {
      uploads: new GridFiles(folder, files.uploadChunks, this.#files),
      emoji: new GridFiles(folder, files.emojiChunks, this.#files),
      avatars: new GridFiles(folder, files.avatarChunks, this.#files),
    };
  }

  read(): MattermostExport {
    const people = [...this.#rows(files.users, user, (one) => one._id)].map(({ value }) => value);
    for (const { value } of this.#rows(files.rooms, room, (one) => one._id)) this.#rooms.set(value._id, value);
    const named = people.filter((one) => this.#addName(one));
    const siteName = [...this.#rows(files.settings, setting)].find(({ value }) => value._id === "Site_Name")?.value
      .value;
    const archive: MattermostExport = {
      dialect: this.#dialect(),
      ...{ file: files.messages, messages: new Spool(), users: [], bots: [], channels: [], directChannels: [] },
      teams: [{ name: "", display_name: siteName === "Rocket.Chat" ? "" : (siteName ?? ""), description: "" }],
      emoji: this.#emoji(),
    };
    this.#addRooms(archive);
    this.#addPeople(archive, named);
    this.#addMessages(archive);
    return archive;
  }

  /** The rows of a collection that can be read, each ID once; none if it is not in the dump. */
  *#rows<S extends z.ZodMiniType>(
    name: string,
    schema: S,
    idOf?: (one: z.output<S>) => string,
  ): Generator<{ number: number; value: z.output<S> }> {
    if (!this.#files.includes(name)) return;
    const known = new Set<string>();
    for (const { number, value } of documentsOf(this.#folder, name)) {
      const parsed = schema.safeParse(value);
      if (!parsed.success) {
        this.#report.lacks(
          `documents of ${name} without the ID or the name of what they are about`,
          1,
          `document ${number}`,
        );
        continue;
      }
      for (const field of unreadFields(value, parsed.data, dates))
        this.#report.lacks(
          `fields of ${name} that are not as Rocket.Chat writes them`,
          1,
          `${field} in document ${number}`,
        );
      const own = idOf?.(parsed.data);
      if (own !== undefined && known.has(own)) {
        this.#report.lacks(`documents of ${name} with an ID that an earlier one has`, 1, `document ${number}`);
        continue;
      }
      if (own !== undefined) known.add(own);
      yield { number, value: parsed.data };
    }
  }

  #dialect(): Dialect {
    const { uploads, emoji: pictures, avatars } = this.#grids;
    const grids: Record<string, GridFiles> = { uploads, emoji: pictures, avatars };
    const split = (path: string): [GridFiles | undefined, string] => {
      const [kind = "", own = ""] = path.split("/", 2);
      return [Object.hasOwn(grids, kind) ? grids[kind] : undefined, decodeURIComponent(own)];
    };
    return {
      ...{ product: "Rocket.Chat", row: "document", peopleFile: files.users, messageLink: /\?msg=[A-Za-z0-9]{17}/ },
      channelAt: (path) => {
        const [, name = ""] = /^\/(?:channel|group)\/([^/]+)\/?$/.exec(path) ?? [];
        return this.#keyOfName(name);
      },
      toMarkdown: (written, names) =>
        fromMattermost(
          fromRocketChat(written, (name) => this.#channelNames.get(keyOf(name))),
          names,
        ),
      findFile: (path) => {
        const [grid, own] = split(path);
        return grid?.has(own) ? path : undefined;
      },
      readFile: (path) => {
        const [grid, own] = split(path);
        return grid?.read(own);
      },
    };
  }

  #keyOfName = (name: string): string | undefined => {
    const channel = this.#channelNames.get(keyOf(name));
    return channel === undefined ? undefined : `/${channel}`;
  };

  #addName({ _id, username }: User): boolean {
    const key = keyOf(username);
    const isNew = !this.#taken.has(key);
    this.#taken.add(key);
    if (isNew) this.#names.set(_id, key);
    else this.#report.lacks(`documents of ${files.users} with a name that an earlier one has`, 1, username);
    return isNew;
  }

  #addRooms({ channels, directChannels }: MattermostExport): void {
    const keys = new Set<string>();
    for (const one of this.#rooms.values()) {
      const { _id, t, name, fname, description, topic, announcement, archived, ro } = one;
      if (t === "d") directChannels.push(this.#membersOf(one));
      else if (t !== "c" && t !== "p")
        this.#report.lacks("rooms of visitors of websites and of calls, with their messages", 1, fname || name);
      else if (this.#parentOf(one)) this.#topics.set(_id, this.#topics.size + 1);
      else {
        // Names of channels differ in Rocket.Chat, except for their case.
        const short = keyOf(name || fname || _id).replace(/[^\p{L}\p{N}._-]/gu, "-");
        const key = keys.has(short) ? keyOf(`${short.slice(0, 100)}-${_id}`) : short;
        if (keys.has(key)) {
          this.#report.lacks("channels with the name of another", 1, name);
          continue;
        }
        keys.add(key);
        this.#channels.set(_id, key);
        this.#channelNames.set(keyOf(name), key);
        channels.push({
          ...{ team: "", name: key, display_name: fname || name, type: t === "c" ? "O" : "P" },
          ...{ purpose: description, header: [topic, announcement].filter(Boolean).join(" – ") },
          ...{ deleted_at: archived ? 1 : 0, isReadOnly: ro, isDefault: one.default },
        });
      }
    }
  }

  /**
   * The channel or conversation of a discussion, whose messages become a topic of it. Not if fewer people may read the discussion: then it is
   * a channel of its own.
   */
  #parentOf(discussion: Room): Room | undefined {
    let parent: Room | undefined = discussion;
    const seen = new Set<Room>();
    while (parent?.prid && !seen.has(parent)) {
      seen.add(parent);
      parent = this.#rooms.get(parent.prid);
    }
    if (!parent || parent === discussion || parent.prid || !["c", "p", "d"].includes(parent.t)) return undefined;
    return parent.t === "c" && discussion.t === "p" ? undefined : parent;
  }

  /** The names of those who are in a conversation. */
  #membersOf({ uids, usernames }: Room): string[] {
    const names = uids.map((own, index) => this.#names.get(own) ?? keyOf(usernames[index] ?? own));
    return [...new Set(names.length > 0 ? names : usernames.map(keyOf))];
  }

  #addPeople({ users, bots }: MattermostExport, people: readonly User[]): void {
    const memberships = this.#memberships(people);
    const pictures = new Map<string, string>();
    for (const { value } of this.#rows(files.avatars, avatar)) {
      const of = this.#names.get(value.userId) ?? keyOf(value.name);
      pictures.set(of, `avatars/${encodeURIComponent(value._id.toWellFormed())}`);
    }
    for (const one of people) {
      const key = keyOf(one.username);
      const common = {
        ...{ username: key, delete_at: one.active ? 0 : 1, profile_image: pictures.get(key) ?? "" },
      };
      if (one.type === "bot" || one.type === "app")
        bots.push({ ...common, owner: "", display_name: one.name || one.username });
      else if (one.type !== "user" && one.type !== "")
        this.#report.lacks("people who are no users, such as visitors of websites", 1, one.username);
      else
        users.push({
          ...{ ...common, email: one.emails[0]?.address ?? "", first_name: one.name, last_name: "", nickname: "" },
          ...{ position: one.bio, custom_status: one.statusText ? { text: one.statusText } : undefined },
          roles: one.roles.flatMap((role) => rolesOf[role] ?? []).join(" "),
          teams: [{ name: "", roles: "", channels: memberships.get(one._id) ?? [] }],
        });
    }
  }

  /** The channels of people, by the IDs of these. Older versions have them with the people alone. */
  #memberships(people: readonly User[]): Map<string, Membership[]> {
    const found = new Map<string, Membership[]>();
    const known = new Set<string>();
    const add = (userId: string, roomId: string, more: Partial<Membership>) => {
      const name = this.#channels.get(roomId);
      if (name === undefined || known.has(`${userId} ${roomId}`)) return;
      known.add(`${userId} ${roomId}`);
      const own = found.get(userId) ?? [];
      found.set(userId, own);
      own.push({ name, roles: "", favorite: false, notify_props: undefined, ...more });
    };
    for (const { value } of this.#rows(files.subscriptions, subscription))
      add(value.u._id, value.rid, {
        roles: value.roles.includes("owner") || value.roles.includes("moderator") ? "channel_admin" : "",
        favorite: value.f,
        notify_props: value.disableNotifications ? { mark_unread: "mention" } : undefined,
      });
    for (const one of people) for (const roomId of one.__rooms) add(one._id, roomId, {});
    return found;
  }

  #emoji(): MattermostExport["emoji"] {
    return [...this.#rows(files.emoji, emoji)].flatMap(({ value: { name, extension, aliases } }) =>
      [name, ...aliases].map((one) => ({
        name: keyOf(one),
        image: `emoji/${encodeURIComponent(`${name}.${extension}`.toWellFormed())}`,
      })),
    );
  }

  #addMessages({ messages }: MattermostExport): void {
    // The messages with which threads begin are known by their replies alone.
    for (const { value } of documentsOf(this.#folder, files.messages))
      if (typeof value.tmid === "string" && value.tmid !== "" && !this.#topics.has(value.tmid))
        this.#topics.set(value.tmid, this.#topics.size + 1);
    for (const { number, value } of this.#rows(files.messages, message, (one) => one._id)) {
      const read = this.#messageOf(value, number);
      if (!read) continue;
      if (value.ts > 0) messages.add(value.ts, read);
      else this.#report.lacks("messages without a time", 1, `document ${number} of ${files.messages}`);
    }
  }

  #messageOf(one: Message, number: number): MattermostMessage | undefined {
    const where = `document ${number} of ${files.messages}`;
    const discussion = this.#rooms.get(one.rid);
    const parent = discussion?.prid ? this.#parentOf(discussion) : undefined;
    const inRoom = parent ?? discussion;
    const channel = inRoom && this.#channels.get(inRoom._id);
    if (!inRoom || (inRoom.t !== "d" && channel === undefined))
      this.#report.lacks("messages of rooms that do not come", 1, where);
    else if (one._hidden) this.#report.lacks("former texts of messages");
    else if (one.t === "e2e") this.#report.lacks("messages that are encrypted from end to end", 1, where);
    else if (one.t !== "") this.#report.lacks("notices of Rocket.Chat, such as who joined");
    else {
      const threadOf = one.tmid || (this.#topics.has(one._id) ? one._id : "");
      const topicOf = parent ? one.rid : threadOf;
      return {
        ...{ line: number, reply: 0, isInThread: topicOf !== "", thread: this.#topics.get(topicOf) },
        title: parent ? discussion?.fname || discussion?.name : one.tmid ? "" : undefined,
        ...{
          channel: channel === undefined ? undefined : `/${channel}`,
          members: inRoom.t === "d" ? this.#membersOf(inRoom) : [],
        },
        user: this.#names.get(one.u._id) ?? keyOf(one.u.username),
        ...{ type: "", message: textOf(one), create_at: one.ts, edit_at: one.editedAt, is_pinned: one.pinned },
        props: propsOf(one),
        flagged_by: one.starred.flatMap(({ _id }) => this.#names.get(_id) ?? []),
        reactions: Object.entries(one.reactions ?? {}).flatMap(([name, { usernames }]) =>
          usernames.map((username) => ({ user: keyOf(username), emoji_name: keyOf(name.replaceAll(":", "")) })),
        ),
        attachments: filesOf(one).map(({ _id, name }) => ({
          path: `uploads/${encodeURIComponent(_id.toWellFormed())}/${name.replaceAll("/", "-") || "file"}`,
        })),
      };
    }
    return undefined;
  }
}

type Membership = MattermostUser["teams"][number]["channels"][number];

/** What is read in another form than it has. */
const dates = new Set(["ts", "editedAt", "attachments", "reactions", "bot", "value"]);

const rolesOf: Readonly<Record<string, string>> = { admin: "system_admin", guest: "system_guest" };

/** The files of a message, without the smaller pictures that Rocket.Chat makes of them. */
const filesOf = ({ file: first, files: all }: Message) =>
  (all.length > 0 ? all : first ? [first] : []).filter(({ typeGroup }) => typeGroup !== "thumb");

const isUpload = (one: Attachment) =>
  [one.title_link, one.image_url, one.video_url, one.audio_url].some((url) => url.startsWith("/file-upload/"));

/** The text, with what has been written about its files. */
const textOf = ({ msg, attachments }: Message): string =>
  [msg, ...attachments.filter(isUpload).map(({ description }) => description)]
    .filter((part) => part.trim() !== "")
    .join("\n\n");

/** What programs have written as attachments, and quoted messages, which come as such. */
function propsOf({ attachments, alias, bot }: Message): MattermostMessage["props"] {
  const shown = attachments.filter((one) => !isUpload(one));
  const isOfProgram = bot !== undefined && alias !== "";
  if (shown.length === 0 && !isOfProgram) return undefined;
  return {
    ...{ from_webhook: isOfProgram, override_username: alias, webhook_display_name: "" },
    attachments: shown.map((one) => ({
      ...{ pretext: one.pretext, author_name: one.author_name, author_link: one.author_link, title: one.title },
      ...{
        title_link: one.title_link,
        image_url: one.image_url,
        fields: one.fields,
        fallback: one.fallback,
        footer: "",
      },
      text: one.message_link ? one.text.replace(/^/gm, "> ") : [one.text, one.description].filter(Boolean).join("\n\n"),
    })),
  };
}
