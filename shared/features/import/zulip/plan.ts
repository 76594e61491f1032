import { limits } from "../../../base/limits.ts";
import { lengthOf } from "../../../base/schema/params.ts";
import { truncate, truncateContent } from "../../../base/schema/text.ts";
import type { EmailVisibility } from "../../../base/schema/user-settings.ts";
import { dayOf } from "../../../core/channels/traffic.ts";
import type { Topic } from "../../../store/channels/topics.ts";
import { type Conversation, conversationName } from "../../../store/messages/conversations.ts";
import type { SparseFlag } from "../../../store/messages/message-flags.ts";
import { canonicalType, type Emoji, reactionTypes } from "../../../store/messages/reactions.ts";
import type { Organization } from "../../../store/organization/organization.ts";
import { time } from "../../integrations/fields.ts";
import { readFileIn } from "../archive.ts";
import { allowedName, urlOfFile } from "../names.ts";
import type {
  ImportPlan,
  OwnerOptions,
  PlannedChannel,
  PlannedDetails,
  PlannedEmoji,
  PlannedFile,
  PlannedMessage,
  PlannedPicture,
  WrittenSoFar,
} from "../plan.ts";
import { fromTheFuture, sentAt } from "../plan.ts";
import { ImportReport } from "../report.ts";
import { botStorageOf, completeBots } from "./bots.ts";
import { recipientTypes, ZulipChannels } from "./channels.ts";
import { type Targets, translateContent } from "./content.ts";
import { type DetailNames, detailsOf } from "./details.ts";
import { editsOf } from "./edits.ts";
import { ZulipFiles } from "./files.ts";
import {
  flagBits,
  lowerBound,
  messagesOf,
  type Receipts,
  readRecords,
  readZulipExport,
  type ZulipExport,
  type ZulipMessage,
} from "./format.ts";
import { ZulipGroups } from "./groups.ts";
import { defaultStreamGroupsOf, foldersOf, listsOf, profileFieldsOf } from "./lists.ts";
import { ZulipPeople } from "./people.ts";
import { type PictureInArchive, picturesOf } from "./pictures.ts";
import { realmSettingsOf, userSettingsOf } from "./settings.ts";

export interface ZulipOptions extends OwnerOptions {
  /** Where the organization was, such as `https://acme.zulipchat.com`: links to there are translated. */
  oldUrl: string | undefined;
  /** From which the paths of files are derived, so that nobody can guess them. */
  secret: string;
  /** The time of everything that has none in the export, in UNIX seconds. */
  now: number;
}

/** Reads the whole export once, without keeping its messages, and says what each part of it becomes. */
export function planZulipImport(folder: string, options: ZulipOptions): ImportPlan {
  const report = new ImportReport();
  const archive = readZulipExport(folder, report);
  return new ZulipPlan(archive, options, report);
}

/** Where the messages to a recipient go; for a direct message to one person, it depends on the sender. */
type Place =
  | { kind: "channel"; planned: PlannedChannel }
  | { kind: "user"; userId: number }
  | { kind: "group"; userIds: number[] };

interface Kept {
  id: number;
  senderId: number;
  zulip: ZulipMessage;
  receipts: Receipts;
  /** One of the two. */
  planned?: PlannedChannel;
  userIds?: number[];
}

class ZulipPlan implements ImportPlan {
  readonly organization: Partial<Organization>;
  readonly details: PlannedDetails;
  readonly conversations: Conversation[] = [];
  messageCount = 0;
  fileCount = 0;
  readonly #archive: ZulipExport;
  /** UNIX seconds of the import's beginning. */
  readonly #now: number;
  readonly #people: ZulipPeople;
  readonly #groups: ZulipGroups;
  readonly #channels: ZulipChannels;
  readonly #files: ZulipFiles;
  readonly #places = new Map<number, Place>();
  readonly #clients: Map<number, string>;
  readonly #emojiIds: Map<number, number>;
  readonly #hosts: Set<string>;
  readonly #conversationsByName = new Map<string, Conversation>();
  readonly #topics = new Map<string, Topic>();
  readonly #pictures: PictureInArchive[];
  /** The IDs in the archive of the messages that come, in their order: a message's position is its new ID less 1. */
  readonly #messageIds: number[] = [];
  readonly report: ImportReport;

  constructor(archive: ZulipExport, options: ZulipOptions, report: ImportReport) {
    this.#archive = archive;
    this.report = report;
    const { tables, realm } = archive;
    this.#people = new ZulipPeople(archive, options, report);
    this.#groups = new ZulipGroups(archive, this.#people, report);
    const userOf = (zulipId: number | undefined) => this.#people.idOf(zulipId);
    const { folders, folderIdOf } = foldersOf(archive, { userOf }, options.now, report);
    this.#channels = new ZulipChannels(archive, this.#people, this.#groups, folderIdOf, options.now, report);
    this.#files = new ZulipFiles(archive, this.#people, options.secret);
    this.#clients = new Map(tables.zerver_client.map(({ id, name }) => [id, name]));
    this.#emojiIds = new Map(tables.zerver_realmemoji.map(({ id }, index) => [id, index + 1]));
    this.#hosts = oldHostsOf(archive, options.oldUrl);
    this.#addPlaces();
    const settings = realmSettingsOf(realm, this.#groups, this.#channels, (setting) =>
      report.lacks("settings of the organization whose values are not possible here", 1, setting),
    );
    const { name } = realm;
    const createdAt = time().parse(realm.date_created);
    const userDefaults = userSettingsOf(tables.zerver_realmuserdefault[0] ?? {}, (setting) =>
      report.lacks("defaults of new people whose values are not possible here", 1, setting),
    );
    this.organization = {
      settings,
      ...(Object.keys(userDefaults).length > 0 && { userDefaults }),
      ...(typeof name === "string" && { name: name.trim() }),
      ...(createdAt > 0 && { createdAt: Math.floor(createdAt) }),
    };
    this.#now = options.now;
    this.#survey(options.now);
    const names: DetailNames = {
      userOf,
      personOf: (zulipId) => {
        const member = this.#people.find(zulipId ?? 0);
        return member?.botType === undefined ? member?.id : undefined;
      },
      channelOf: (zulipId) => this.#channels.idOf(zulipId),
      messageOf: (zulipId) => this.#messageOf(zulipId),
      placeOf: (zulipRecipientId) => {
        const place = this.#places.get(zulipRecipientId);
        if (place?.kind === "channel") return { channelId: place.planned.channel.id };
        return place && { userIds: place.kind === "user" ? [place.userId] : place.userIds };
      },
      emojiOf: (emoji) => this.#emojiOf(emoji),
      textOf: this.#textOf,
      schedule: (zulipId, deliverAt) => this.#files.schedule(zulipId, deliverAt),
      clientOf: (zulipId) => this.#clients.get(zulipId ?? 0) ?? "website",
    };
    const { fields, values } = profileFieldsOf(archive, names, report);
    const { linkifiers, playgrounds, realmDomains } = listsOf(archive, report);
    const defaultStreamGroups = defaultStreamGroupsOf(archive, this.#channels, report);
    this.details = {
      ...detailsOf(archive, names, options.now, report),
      ...{ linkifiers, playgrounds, realmDomains, profileFields: fields, channelFolders: folders },
      defaultStreamGroups,
      botStorage: botStorageOf(archive, this.#people, report),
    };
    this.details.scheduledFiles = this.#files.ofScheduledMessages(() => ++this.fileCount);
    report.comes("files of scheduled messages", this.details.scheduledFiles.length);
    for (const user of tables.zerver_userprofile) this.#addSettings(user);
    for (const [userId, profileValues] of values) this.#people.addProfile(userId, { profileValues });
    completeBots(archive, this.#people, this.#channels, report, options.secret);
    this.#pictures = picturesOf(archive, this.#people, this.organization, options.secret);
    this.#channels.subscribe((zulipId) => this.#positionAfter(zulipId) + 1);
    report.comes("topics", this.topics.length);
    if (this.#files.unusedCount > 0)
      report.lacks("files that no message and no scheduled message has", this.#files.unusedCount);
  }

  get members() {
    return this.#people.members;
  }
  get groups() {
    return this.#groups.groups;
  }
  get channels() {
    return this.#channels.channels;
  }
  get topics(): Topic[] {
    return [...this.#topics.values()];
  }

  *pictures(): Generator<PlannedPicture> {
    for (const { path, ...picture } of this.#pictures)
      yield { ...picture, content: readFileIn(this.#archive.folder, path) ?? Buffer.alloc(0) };
  }

  async fetchEmoji(): Promise<PlannedEmoji[]> {
    // The uploaded picture may be large, and the other one is what clients showed.
    const records = readRecords(this.#archive.folder, "emoji").sort(
      (a, b) => Number(a.path.endsWith(".original")) - Number(b.path.endsWith(".original")),
    );
    const pathsOf = Map.groupBy(records, (record) => record.file_name);
    const active = new Set<string>();
    return this.#archive.tables.zerver_realmemoji.map(({ name, file_name, author, deactivated }) => {
      let content: Buffer | undefined;
      for (const { path } of (file_name !== "" && pathsOf.get(file_name)) || [])
        content ??= readFileIn(this.#archive.folder, `emoji/${path}`);
      const isTaken = active.has(name);
      if (!deactivated) active.add(name);
      return {
        ...{ name, content: content ?? Buffer.alloc(0), authorId: this.#people.idOf(author) ?? null },
        deactivated: deactivated || isTaken,
      };
    });
  }

  async fetchFile(file: PlannedFile) {
    return this.#files.read(file);
  }

  *messages(): Generator<PlannedMessage> {
    const seen = new Set<string>();
    let fileId = 0;
    for (const kept of this.#kept(() => {})) {
      const { id, senderId, zulip, receipts, planned, userIds } = kept;
      const { files, sharedPathIds } = this.#files.of(zulip.id, seen, () => ++fileId);
      const { changed, formerTexts } = editsOf(zulip, id, senderId, {
        userOf: (zulipId) => this.#people.idOf(zulipId),
        channelOf: (zulipId) => this.#channels.idOf(zulipId),
        textOf: this.#textOf,
      });
      const links = new Set(sharedPathIds);
      translateContent(
        zulip.content,
        "",
        this.#targetsWith((pathId) => {
          links.add(pathId);
          return undefined;
        }),
      );
      const own = new Set(files.map(({ pathId }) => pathId));
      yield {
        message: {
          ...{ id, senderId, client: this.#clients.get(zulip.sending_client ?? 0) ?? "website" },
          sentAt: sentAt(zulip.date_sent, this.#now),
          ...(!receipts.unreadBy.includes(zulip.sender) && { readBySender: true as const }),
          ...(planned
            ? {
                ...{ channelId: planned.channel.id, topic: topicOf(zulip) },
                recipientId: planned.channel.recipientId,
              }
            : this.#conversationOf(userIds ?? [])),
          ...changed,
        },
        source: `message ${zulip.id}`,
        files,
        sharedPathIds,
        linkedPathIds: [...links].filter((pathId) => !own.has(pathId)),
        content: (written) => this.#contentOf(zulip, written),
        reactions: (written) => this.#reactionsOf(zulip.id, written),
        flags: receipts.flagged.flatMap(({ userId: zulipId, mask }) => {
          const userId = this.#people.idOf(zulipId);
          const flags = keptFlags.filter((flag) => mask & flagBits[flag]);
          return userId === undefined || flags.length === 0 ? [] : [{ userId, flags }];
        }),
        unreadBy: this.#people.idsOf(receipts.unreadBy),
        submessages: this.#submessagesOf(zulip.id, id, formerTexts.length > 0),
        formerTexts,
      };
    }
  }

  /** A text without files of its own, with links to those files that come. */
  #textOf = (content: string): string =>
    translateContent(
      content.replaceAll("\0", ""),
      "",
      this.#targetsWith((pathId, path) => (this.#files.comes(path) ? urlOfFile(pathId) : undefined)),
    );

  /** The messages that come, in order. Each call decides the same. */
  *#kept(lacks: (what: string, example?: string) => void): Generator<Kept> {
    let id = 0;
    for (const { message: zulip, receipts } of messagesOf(this.#archive, lacks)) {
      const senderId = this.#people.idOf(zulip.sender);
      const place = this.#places.get(zulip.recipient);
      const source = `message ${zulip.id}`;
      if (senderId === undefined) {
        lacks("messages of senders who are not in the export", source);
        continue;
      }
      if (!place) {
        lacks("messages to channels or people who are not in the export", source);
        continue;
      }
      if (!(zulip.date_sent > 0)) {
        lacks("messages without a date", source);
        continue;
      }
      if (place.kind === "channel") {
        yield { id: ++id, senderId, zulip, receipts, planned: place.planned };
        continue;
      }
      const others = place.kind === "user" ? [place.userId] : place.userIds;
      const userIds = [...new Set([senderId, ...others])].sort((a, b) => a - b);
      if (userIds.length > limits.directMessageParticipants) {
        lacks(`direct messages among more than ${limits.directMessageParticipants} people`, source);
        continue;
      }
      yield { id: ++id, senderId, zulip, receipts, userIds };
    }
  }

  /** Decides everything that follows from the messages: topics, conversations, counts, and where links lead. */
  #survey(now: number): void {
    const { report } = this;
    for (const { id, zulip, planned, userIds } of this.#kept((what, example) => report.lacks(what, 1, example))) {
      this.messageCount = id;
      if (zulip.date_sent > now) report.lacks(fromTheFuture, 1, `message ${zulip.id}`);
      this.#messageIds.push(zulip.id);
      report.comes(planned ? "messages in channels" : "direct messages");
      for (const { isFirst } of this.#files.survey(zulip.id, report)) if (isFirst) this.fileCount++;
      if (lengthOf(zulip.content) > limits.messageLength)
        report.lacks(
          `messages of more than ${limits.messageLength} characters: they are truncated`,
          1,
          `message ${zulip.id}`,
        );
      for (const { userId, type, code, name } of this.#archive.reactions.of(zulip.id)) {
        if (this.#people.idOf(userId) === undefined) report.lacks("reactions of people who are not in the export");
        else if (this.#emojiOf({ type, code, name })) report.comes("reactions");
        else report.lacks("reactions with emoji that are not known here", 1, name);
      }
      if (!planned) {
        this.#conversationOf(userIds ?? []);
        continue;
      }
      const { stats, channel } = planned;
      stats.firstMessageId ??= id;
      stats.lastMessageAt = sentAt(zulip.date_sent, now);
      const day = dayOf(stats.lastMessageAt);
      // Older ones are never shown.
      if (day >= dayOf(now) - 7) stats[`day${day}`] = (stats[`day${day}`] ?? 0) + 1;
      const name = topicOf(zulip);
      this.#topics.set(`${channel.id}#${name.toLowerCase()}`, { channelId: channel.id, name, maxId: id });
    }
  }

  #addPlaces(): void {
    const { zerver_recipient, zerver_subscription } = this.#archive.tables;
    const membersOf = Map.groupBy(zerver_subscription, ({ recipient }) => recipient);
    for (const { id, type, type_id } of zerver_recipient) {
      if (type === recipientTypes.channel) {
        const planned = this.channels[(this.#channels.idOf(type_id) ?? 0) - 1];
        if (planned) this.#places.set(id, { kind: "channel", planned });
      } else if (type === recipientTypes.user) {
        const userId = this.#people.idOf(type_id);
        if (userId !== undefined) this.#places.set(id, { kind: "user", userId });
      } else if (type === recipientTypes.group) {
        const userIds = this.#people.idsOf((membersOf.get(id) ?? []).map(({ user_profile }) => user_profile));
        if (userIds.length > 0) this.#places.set(id, { kind: "group", userIds });
      }
    }
  }

  #addSettings(user: Record<string, unknown> & { id: number }): void {
    const member = this.#people.find(user.id);
    if (!member || member.botType !== undefined) return;
    const settings = userSettingsOf(user, (setting) =>
      this.report.lacks("settings of people whose values are not possible here", 1, `${setting} of ${member.fullName}`),
    );
    if (Object.keys(settings).length === 0) return;
    this.details.settings.set(member.id, settings);
    const emailVisibility = settings.email_address_visibility as EmailVisibility | undefined;
    if (emailVisibility !== undefined) this.#people.addProfile(member.id, { emailVisibility });
    if (settings.presence_enabled === false) this.#people.addProfile(member.id, { hidesPresence: true });
  }

  #conversationOf(userIds: number[]): Conversation {
    const name = conversationName(userIds);
    let conversation = this.#conversationsByName.get(name);
    if (!conversation) {
      conversation = { userIds, recipientId: this.channels.length + this.conversations.length + 1 };
      this.conversations.push(conversation);
      this.#conversationsByName.set(name, conversation);
      this.report.comes("direct conversations");
    }
    return conversation;
  }

  /** How many of the messages that come have this ID in the archive or a lower one. */
  #positionAfter(zulipId: number): number {
    const ids = this.#messageIds;
    return lowerBound(ids.length, (at) => (ids[at] as number) <= zulipId);
  }

  #messageOf(zulipId: number): number | undefined {
    const position = this.#positionAfter(zulipId);
    return this.#messageIds[position - 1] === zulipId ? position : undefined;
  }

  #targetsWith(urlOf: (pathId: string, path: string) => string | undefined): Targets {
    return {
      user: (zulipId) => this.#people.find(zulipId),
      channel: (zulipId) => this.#channels.idOf(zulipId),
      message: (zulipId) => this.#messageOf(zulipId),
      file: (path) => {
        const pathId = this.#files.pathIdOf(path);
        return pathId === undefined ? undefined : urlOf(pathId, path);
      },
      isOldHost: (host) => this.#hosts.has(host.toLowerCase()),
    };
  }

  #contentOf(zulip: ZulipMessage, { files }: WrittenSoFar): string {
    const targets = this.#targetsWith((pathId) => (files.has(pathId) ? urlOfFile(pathId) : undefined));
    const text = translateContent(zulip.content, zulip.rendered_content, targets);
    return truncateContent(text.trim() === "" ? "(deleted)" : text);
  }

  #reactionsOf(zulipId: number, { emoji: custom }: WrittenSoFar) {
    const byEmoji = new Map<string, { emoji: Emoji; userIds: number[] }>();
    for (const { userId: zulipUserId, ...zulip } of this.#archive.reactions.of(zulipId)) {
      const emoji = this.#emojiOf(zulip);
      const userId = this.#people.idOf(zulipUserId);
      if (!emoji || userId === undefined) continue;
      if (emoji.type === "realm_emoji" && !custom.some(({ id }) => String(id) === emoji.code)) continue;
      const key = `${emoji.type}:${emoji.code}`;
      const known = byEmoji.get(key) ?? { emoji, userIds: [] };
      byEmoji.set(key, known);
      if (!known.userIds.includes(userId)) known.userIds.push(userId);
    }
    return [...byEmoji.values()];
  }

  #emojiOf({ type: zulipType, code, name }: { type: string; code: string; name: string }): Emoji | undefined {
    const type = reactionTypes.find((one) => one === zulipType);
    if (!type) return undefined;
    if (type === "unicode_emoji")
      return /^[0-9a-f]{2,6}(-[0-9a-f]{2,6})*$/.test(code) ? { type, code, name } : undefined;
    if (type !== "realm_emoji") return code === "zulip" ? { type: canonicalType(type), code, name } : undefined;
    const id = this.#emojiIds.get(Number(code));
    return id === undefined ? undefined : { type, code: String(id), name };
  }

  /** Undefined if the message has none, and none that its text makes, as only a new message becomes a poll or a list. */
  #submessagesOf(zulipId: number, messageId: number, isEdited: boolean) {
    const submessages = (this.#archive.submessages.get(zulipId) ?? []).flatMap(
      ({ sender, msg_type: type, content }) => {
        const senderId = this.#people.idOf(sender);
        return senderId === undefined ? [] : [{ messageId, senderId, type, content }];
      },
    );
    return submessages.length === 0 && isEdited ? undefined : submessages;
  }
}

const keptFlags: (SparseFlag & keyof typeof flagBits)[] = [
  "starred",
  "collapsed",
  "mentioned",
  "topic_wildcard_mentioned",
];

const topicOf = ({ subject }: ZulipMessage) => truncate(allowedName(subject), limits.topicLength, "...");

/**
 * Where the organization was: as the operator says, and as the addresses of bots and of people who hide theirs say, which Zulip
 * makes of it.
 */
function oldHostsOf({ tables }: ZulipExport, oldUrl: string | undefined): Set<string> {
  const hosts = tables.zerver_userprofile.flatMap(({ id, email, is_bot }) => {
    const [, name = "", host] = /^([^@]+)@([^@]+)$/.exec(email) ?? [];
    return host !== undefined && (name === `user${id}` || (is_bot && name.endsWith("-bot"))) ? host.toLowerCase() : [];
  });
  const given = oldUrl === undefined ? undefined : URL.parse(oldUrl)?.host;
  return new Set([...hosts, ...(given === undefined ? [] : [given.toLowerCase()])]);
}
