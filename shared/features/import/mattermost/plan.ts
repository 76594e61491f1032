import { limits } from "../../../base/limits.ts";
import { lengthOf } from "../../../base/schema/params.ts";
import { truncateContent } from "../../../base/schema/text.ts";
import { channelPath } from "../../../core/markdown/narrow-urls.ts";
import { plain } from "../../../core/markdown/source/plain.ts";
import { channelReference, mention, mentionByName } from "../../../core/markdown/source/references.ts";
import { displayName } from "../../../services/blobs/names.ts";
import type { Topic } from "../../../store/channels/topics.ts";
import { type Conversation, conversationName } from "../../../store/messages/conversations.ts";
import type { SparseFlag } from "../../../store/messages/message-flags.ts";
import type { Emoji } from "../../../store/messages/reactions.ts";
import type { Member } from "../../bootstrap/members.ts";
import { webUrl } from "../../integrations/text.ts";
import { ArchiveError } from "../archive.ts";
import { ChannelTopics, titleOf } from "../channel-topics.ts";
import { datasourceEmoji } from "../emoji-names.ts";
import { allowedName, isMeantByName, pathFor, pictureNameFor, urlOfFile } from "../names.ts";
import {
  fromTheFuture,
  type ImportPlan,
  noDetails,
  type OwnerOptions,
  type PlannedChannel,
  type PlannedDetails,
  type PlannedEmoji,
  type PlannedFile,
  type PlannedMessage,
  type PlannedPicture,
  sentAt,
  type WrittenSoFar,
} from "../plan.ts";
import { ImportReport } from "../report.ts";
import { MattermostChannels } from "./channels.ts";
import {
  type MattermostAttachment,
  type MattermostExport,
  type MattermostMessage,
  readMattermostExport,
  sourceOf,
} from "./format.ts";
import type { MattermostNames } from "./markdown.ts";
import { MattermostPeople } from "./people.ts";

export interface MattermostOptions extends OwnerOptions {
  /** Where the organization was, such as `https://chat.acme.example`, so that links to there lead here. */
  oldUrl: string | undefined;
  /** From which the paths of files are derived, so that nobody can guess them. */
  secret: string;
  /** The time of everything that has none in the export, in UNIX seconds. */
  now: number;
}

/** Reads the whole export, keeping its messages in a temporary file, and says what each part of it becomes. */
export async function planMattermostImport(folder: string, options: MattermostOptions): Promise<ImportPlan> {
  checkOldUrl(options);
  const report = new ImportReport();
  return planOf(readMattermostExport(folder, report), options, report);
}

export function checkOldUrl({ oldUrl }: MattermostOptions): void {
  if (oldUrl !== undefined && URL.parse(oldUrl)?.host === undefined)
    throw new ArchiveError(`--url is no address: ${oldUrl}`);
}

/** What an export becomes, or what has been read in the form of one. */
export async function planOf(
  archive: MattermostExport,
  options: MattermostOptions,
  report: ImportReport,
): Promise<ImportPlan> {
  const plan = new MattermostPlan(archive, options, report, await datasourceEmoji());
  plan.survey();
  return plan;
}

type Place = { kind: "channel"; planned: PlannedChannel } | { kind: "direct"; conversation: Conversation };

/** What Mattermost itself says about a channel. */
const noticePattern = /^(?:system_|add_bot_teams_channels$)/;

/** A message that comes, with all that has been decided about it. */
interface Kept {
  id: number;
  place: Place;
  sender: Member;
  message: MattermostMessage;
  files: KeptFile[];
}

/** A file of a message; only a name if the archive does not have it. */
interface KeptFile {
  name: string;
  planned: PlannedFile | undefined;
}

class MattermostPlan implements ImportPlan {
  readonly report: ImportReport;
  readonly organization: { name?: string };
  readonly details: PlannedDetails;
  readonly conversations: Conversation[] = [];
  messageCount = 0;
  fileCount = 0;
  readonly #archive: MattermostExport;
  readonly #options: MattermostOptions;
  readonly #emoji: ReadonlyMap<string, Emoji>;
  /** Custom emoji by their names in Mattermost, with where their pictures are in the archive. */
  readonly #customEmoji = new Map<string, { name: string; path: string }>();
  readonly #people: MattermostPeople;
  readonly #channels: MattermostChannels;
  readonly #pictures: (Omit<PlannedPicture, "content"> & { path: string })[] = [];
  readonly #conversationsByName = new Map<string, Conversation>();
  /** Messages outside of threads. */
  readonly #mainTopic: string;
  readonly #topics: ChannelTopics;

  constructor(
    archive: MattermostExport,
    options: MattermostOptions,
    report: ImportReport,
    emoji: ReadonlyMap<string, Emoji>,
  ) {
    this.#archive = archive;
    this.#options = options;
    this.#emoji = emoji;
    this.report = report;
    this.#mainTopic = `imported from ${archive.dialect.product}`;
    this.#topics = new ChannelTopics(this.#mainTopic);
    const [team] = archive.teams;
    const name = archive.teams.length === 1 && team ? allowedName(team.display_name) || allowedName(team.name) : "";
    this.organization = name ? { name } : {};
    this.#people = new MattermostPeople(archive, options, report);
    this.#channels = new MattermostChannels(archive, this.#people, options.now, report);
    this.#channels.describe((text, inTeam) => archive.dialect.toMarkdown(text, this.#namesIn(inTeam, undefined)));
    this.details = { ...noDetails(), channelFolders: this.#channels.folders };
    for (const names of archive.directChannels) {
      const conversation = this.#conversationOf(names.map((one) => this.#people.findOrAdd(one).id));
      if (!conversation) report.lacks("direct conversations among too many people", 1, names.slice(0, 3).join(" "));
    }
    this.#addEmoji();
    for (const one of [...archive.users, ...archive.bots]) this.#addPicture(one);
  }

  get members() {
    return this.#people.members;
  }
  get channels() {
    return this.#channels.channels;
  }
  get groups() {
    return this.#channels.groups;
  }
  get topics(): Topic[] {
    return this.#topics.list();
  }

  *pictures(): Generator<PlannedPicture> {
    for (const { path, ...picture } of this.#pictures)
      yield { ...picture, content: this.#archive.dialect.readFile(path) ?? Buffer.alloc(0) };
  }

  async fetchEmoji(): Promise<PlannedEmoji[]> {
    return [...this.#customEmoji.values()].map(({ name, path }) => ({
      ...{ name, authorId: null, deactivated: false },
      content: this.#archive.dialect.readFile(path) ?? Buffer.alloc(0),
    }));
  }

  async fetchFile({ url }: PlannedFile) {
    return this.#archive.dialect.readFile(url);
  }

  /** Decides everything that follows from the messages: who else there is, topics and counts. */
  survey(): void {
    const { report } = this;
    const { now } = this.#options;
    for (const kept of this.#kept((what, example) => report.lacks(what, 1, example))) {
      const { id, place, message, files } = kept;
      this.messageCount = id;
      const at = sentAt(message.create_at / 1000, now);
      if (message.create_at / 1000 > now) report.lacks(fromTheFuture, 1, this.#sourceOf(kept));
      report.comes(place.kind === "channel" ? "messages in channels" : "direct messages");
      if (place.kind === "channel") {
        const { channel } = place.planned;
        channel.createdAt = Math.min(channel.createdAt, at);
        this.#topics.count(place.planned, this.#topicOf(kept, channel.id), { id, at, now });
      }
      for (const { name, planned } of files) {
        if (planned) this.fileCount = planned.id;
        if (planned) report.comes("files");
        else report.lacks("files that are not in the archive, or too large: only their names come", 1, name);
      }
      const { text, room } = this.#partsOf(kept, undefined);
      if (lengthOf(text) > room)
        report.lacks(
          `messages of more than ${limits.messageLength} characters: they are truncated`,
          1,
          this.#sourceOf(kept),
        );
      if (message.is_pinned) report.lacks("pins of messages");
      report.comes("stars", this.#starsOf(kept).length);
      const { product, messageLink } = this.#archive.dialect;
      if (messageLink.test(message.message))
        report.lacks(`messages with links to others, whose IDs do not come: they lead to ${product}`);
      this.#surveyReactions(message);
    }
    report.comes("topics", this.topics.length);
  }

  *messages(): Generator<PlannedMessage> {
    for (const kept of this.#kept(() => {})) {
      const { id, place, sender, message, files } = kept;
      const editedAt = Math.floor(message.edit_at / 1000);
      yield {
        message: {
          ...{ id, senderId: sender.id, client: this.#archive.dialect.product, readBySender: true },
          sentAt: sentAt(message.create_at / 1000, this.#options.now),
          ...(place.kind === "channel"
            ? {
                channelId: place.planned.channel.id,
                topic: this.#topicOf(kept, place.planned.channel.id),
                recipientId: place.planned.channel.recipientId,
              }
            : place.conversation),
          ...(editedAt > 0 && { lastEditAt: editedAt }),
        },
        source: this.#sourceOf(kept),
        files: files.flatMap(({ planned }) => planned ?? []),
        linkedPathIds: [],
        flags: this.#starsOf(kept),
        content: (written) => this.#contentOf(kept, written),
        reactions: (written) => this.#reactionsOf(message, written),
      };
    }
  }

  #sourceOf = ({ message }: Kept) => sourceOf(message, this.#archive);

  /** The messages that come, in the order of their times. Each call decides the same. */
  *#kept(lacks: (what: string, example?: string) => void): Generator<Kept> {
    let [id, fileId] = [0, 0];
    const sameTime = { time: 0, known: new Set<string>() };
    for (const message of this.#archive.messages.inOrder()) {
      const source = sourceOf(message, this.#archive);
      if (noticePattern.test(message.type)) {
        lacks(`notices of ${this.#archive.dialect.product}, such as who joined`);
        continue;
      }
      if (message.user === "") {
        lacks("messages without an author", source);
        continue;
      }
      if (message.channel !== undefined && !this.#channels.find(message.channel)) {
        lacks("messages in channels that are not in the export", source);
        continue;
      }
      const named = this.#people.findOrAdd(message.user);
      const place = this.#placeOf(message, named);
      if (!place) {
        lacks("direct messages among too many people", source);
        continue;
      }
      const { create_at, user, channel, members } = message;
      if (create_at !== sameTime.time) Object.assign(sameTime, { time: create_at, known: new Set<string>() });
      const identity = JSON.stringify([user, channel, members, message.message, message.attachments, message.props]);
      if (sameTime.known.has(identity)) {
        lacks("messages that are twice in the archive", source);
        continue;
      }
      sameTime.known.add(identity);
      const files: KeptFile[] = [];
      for (const [index, { path }] of message.attachments.entries()) {
        const name = path.split("/").at(-1) || "file";
        const url = this.#archive.dialect.findFile(path);
        const planned =
          url === undefined ? undefined : this.#planFile(`${source} ${index} ${path}`, name, url, fileId + 1);
        if (planned) fileId++;
        files.push({ name, planned });
      }
      const sender = place.kind === "channel" ? this.#senderOf(message, named) : named;
      const kept: Kept = { id: id + 1, place, sender, message, files };
      if (files.length === 0 && this.#textOf(kept) === "") {
        lacks("messages without anything that can be shown", source);
        continue;
      }
      id++;
      yield kept;
    }
  }

  #placeOf({ channel, members }: MattermostMessage, sender: Member): Place | undefined {
    const planned = channel === undefined ? undefined : this.#channels.find(channel);
    if (planned) return { kind: "channel", planned };
    const conversation = this.#conversationOf([sender.id, ...members.map((name) => this.#people.findOrAdd(name).id)]);
    return conversation && { kind: "direct", conversation };
  }

  /** The conversation among people; undefined if these are none, or too many. */
  #conversationOf(ids: readonly number[]): Conversation | undefined {
    const userIds = [...new Set(ids)].sort((a, b) => a - b);
    if (userIds.length === 0 || userIds.length > limits.directMessageParticipants) return undefined;
    const name = conversationName(userIds);
    const known = this.#conversationsByName.get(name);
    if (known) return known;
    const added = { userIds, recipientId: this.channels.length + this.conversations.length + 1 };
    this.conversations.push(added);
    this.#conversationsByName.set(name, added);
    this.report.comes("direct conversations");
    return added;
  }

  /** Who appears as the sender: a webhook may write under a name of its own, which Mattermost marks as that of a bot. */
  #senderOf({ props }: MattermostMessage, named: Member): Member {
    if (props?.from_webhook !== true && props?.from_webhook !== "true") return named;
    return this.#people.webhookOf(props.override_username || props.webhook_display_name, named);
  }

  /** The topic of a message in a channel: each thread is one, named by its first message. */
  #topicOf(kept: Kept, channelId: number): string {
    const { isInThread, line, thread = line, title, reply, create_at } = kept.message;
    if (!isInThread) return this.#mainTopic;
    return this.#topics.ofThread(channelId, thread, create_at / 1000, () =>
      reply > 0 ? "" : title === undefined ? titleOf(this.#textOf(kept)) : allowedName(title.replace(/\s+/g, " ")),
    );
  }

  #planFile(source: string, name: string, url: string, id: number): PlannedFile {
    const pathId = pathFor(source, name, this.#options.secret);
    return { id, pathId, name: displayName(name), url, isHtml: true };
  }

  #addEmoji(): void {
    const names = new Set<string>();
    for (const { name: written, image } of this.#archive.emoji) {
      const path = this.#archive.dialect.findFile(image);
      // Mattermost allows signs that names must not have here.
      const name = written.replace(/[^0-9a-z\-_.]/g, "_").replace(/[^0-9a-z]+$/, "");
      if (path === undefined) this.report.lacks("custom emoji whose pictures are not in the archive", 1, written);
      else if (name === "" || name.length > 100 || names.has(name))
        this.report.lacks("custom emoji whose names are not allowed here", 1, written);
      else {
        this.#customEmoji.set(written, { name, path });
        names.add(name);
        if (name !== written) this.report.lacks("custom emoji under another name", 1, `${written} → ${name}`);
      }
    }
  }

  #addPicture({ username, profile_image }: { username: string; profile_image: string }): void {
    const member = this.#people.find(username);
    if (profile_image === "" || !member || member.profile?.avatarFile !== undefined) return;
    const path = this.#archive.dialect.findFile(profile_image);
    if (path === undefined) {
      this.report.lacks("pictures of people that are not in the archive", 1, username);
      return;
    }
    const name = pictureNameFor(`avatar ${username} ${profile_image}`, this.#options.secret);
    member.profile = { ...member.profile, avatarSource: "U", avatarFile: name };
    const forget = () => {
      const { avatarFile: _, ...rest } = member.profile ?? {};
      member.profile = { ...rest, avatarSource: "G" };
    };
    this.#pictures.push({ kind: "avatar", name, path, forget });
  }

  #contentOf(kept: Kept, written: WrittenSoFar): string {
    const { text, links, room } = this.#partsOf(kept, written);
    return [truncateContent(text, room), links].filter((part) => part !== "").join("\n\n");
  }

  /** A message's text, the links to its files below it, and how many characters of the text fit, so that the links stay. */
  #partsOf(kept: Kept, written: WrittenSoFar | undefined): { text: string; links: string; room: number } {
    const files = kept.files.map(({ name, planned }) => {
      const label = plain(name) || "file";
      return planned && written?.files.has(planned.pathId) !== false
        ? `[${label}](${urlOfFile(planned.pathId)})`
        : label;
    });
    const links = truncateContent(files.join("\n"), limits.messageLength / 2);
    return {
      ...{ text: this.#textOf(kept), links },
      room: limits.messageLength - (links === "" ? 0 : lengthOf(`${links}\n\n`)),
    };
  }

  /** A message's text in Markdown, without its files. */
  #textOf({ message, place, sender }: Omit<Kept, "id" | "files">): string {
    const names = this.#namesIn(message.channel?.split("/")[0], place.kind === "channel" ? sender.id : undefined);
    const markdownOf = (text: string) => this.#archive.dialect.toMarkdown(text, names);
    // Mattermost writes it as emphasized text.
    const isMe = message.type === "me";
    const own = markdownOf(isMe ? message.message.replace(/^\*(.*)\*$/s, "$1") : message.message);
    const attachments = (message.props?.attachments ?? []).map((one) => attachmentText(one, markdownOf));
    const text = [own, ...attachments].filter((part) => part !== "").join("\n\n");
    return isMe && text !== "" ? `/me ${text}` : text;
  }

  #namesIn(team: string | undefined, authorId: number | undefined): MattermostNames {
    return {
      user: (name, isInTable) => {
        if (name === "all" || name === "channel" || name === "here") return "@**all**";
        const member = this.#people.find(name);
        if (!member) return undefined;
        if (!isInTable) return mention(member);
        const byName = isMeantByName(member, this.#people.members) ? mentionByName(member.fullName, "@") : undefined;
        return byName ?? `@${plain(member.fullName)}`;
      },
      channel: (name) => {
        const planned = this.#channels.meantBy(name, team);
        if (!planned) return undefined;
        const { channel, subscriptions } = planned;
        // The name of a private channel is for its members.
        const mayName = !channel.inviteOnly || subscriptions.some(({ userId }) => userId === authorId);
        return mayName ? channelReference(channel) : undefined;
      },
      emoji: (name) => this.#customEmoji.get(name)?.name ?? this.#emoji.get(withoutSkinTone(name))?.name,
      link: (url) => this.#linkOf(url),
    };
  }

  /** Where a link to a channel in Mattermost leads to now; undefined for others. */
  #linkOf(url: string): string | undefined {
    const { oldUrl } = this.#options;
    if (oldUrl === undefined) return undefined;
    const parsed = URL.parse(url);
    if (parsed === null || parsed.host !== URL.parse(oldUrl)?.host || parsed.search !== "") return undefined;
    const key = this.#archive.dialect.channelAt(parsed.pathname);
    const channel = key === undefined ? undefined : this.#channels.find(key)?.channel;
    return channel && `/${channelPath(channel.id, channel.name)}`;
  }

  /** The stars of those who may read the message. */
  #starsOf({ message, place }: Kept): { userId: number; flags: SparseFlag[] }[] {
    const userIds = new Set(
      message.flagged_by.flatMap((name) => {
        const member = this.#people.find(name);
        return member && member.botType === undefined ? member.id : [];
      }),
    );
    const isReader = (userId: number) =>
      place.kind === "direct"
        ? place.conversation.userIds.includes(userId)
        : !place.planned.channel.inviteOnly || place.planned.subscriptions.some((one) => one.userId === userId);
    return [...userIds].filter(isReader).map((userId) => ({ userId, flags: ["starred"] }));
  }

  #surveyReactions({ reactions }: MattermostMessage): void {
    for (const { user, emoji_name } of reactions) {
      const name = withoutSkinTone(emoji_name);
      if (!this.#people.find(user)) this.report.lacks("reactions of people who are not in the export", 1, user);
      else if (this.#emoji.has(name) || this.#customEmoji.has(emoji_name)) this.report.comes("reactions");
      else this.report.lacks("reactions with emoji that are not known here", 1, emoji_name);
    }
  }

  #reactionsOf({ reactions }: MattermostMessage, { emoji: custom }: WrittenSoFar) {
    const found = new Map<string, { emoji: Emoji; userIds: Set<number> }>();
    for (const { user, emoji_name } of reactions) {
      const member = this.#people.find(user);
      const ownName = this.#customEmoji.get(emoji_name)?.name;
      const own = custom.find((one) => one.name === ownName);
      const emoji: Emoji | undefined = own
        ? { name: own.name, code: String(own.id), type: "realm_emoji" }
        : this.#emoji.get(withoutSkinTone(emoji_name));
      if (!member || !emoji) continue;
      const key = `${emoji.type} ${emoji.code}`;
      const one = found.get(key) ?? { emoji, userIds: new Set() };
      one.userIds.add(member.id);
      found.set(key, one);
    }
    return [...found.values()].map(({ emoji, userIds }) => ({ emoji, userIds: [...userIds] }));
  }
}

/** The name of an emoji without its skin tone, as in `wave_medium_light_skin_tone`: there are no skin tones here. */
const withoutSkinTone = (name: string): string =>
  name.replace(/(?:_(?:medium_)?(?:light|dark)|_medium)_skin_tone$/, "");

/** What a program has written in the form of an attachment, whose texts are Markdown. */
function attachmentText(item: MattermostAttachment, markdownOf: (text: string) => string): string {
  const linked = (label: string, url: string) => {
    const destination = webUrl(url);
    return destination === undefined || label === "" ? label : `[${label}](${destination})`;
  };
  const title = linked(markdownOf(item.title).replace(/\s+/g, " ").replace(/[[\]]/g, ""), item.title_link);
  const pieces = [
    markdownOf(item.pretext),
    item.author_name && `**${linked(plain(item.author_name), item.author_link)}**`,
    title && `## ${title}`,
    markdownOf(item.text),
    item.fields
      .map(({ title: name, value }) => [name && `**${plain(name)}**:`, markdownOf(value)].filter(Boolean).join(" "))
      .filter((field) => field !== "")
      .join("\n"),
    webUrl(item.image_url) && linked("image", item.image_url),
    markdownOf(item.footer),
  ].filter((piece) => piece !== undefined && piece.trim() !== "");
  return pieces.length > 0 ? pieces.join("\n\n") : plain(item.fallback);
}
