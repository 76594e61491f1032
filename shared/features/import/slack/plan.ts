import { limits } from "../../../base/limits.ts";
import { lengthOf } from "../../../base/schema/params.ts";
import { truncate, truncateContent } from "../../../base/schema/text.ts";
import { defaultPermissions, newSubscription } from "../../../core/channels/defaults.ts";
import { encodeOperand, topicPath } from "../../../core/markdown/narrow-urls.ts";
import { channelReference, mention, mentionByName } from "../../../core/markdown/source/references.ts";
import { displayName } from "../../../services/blobs/names.ts";
import type { Topic } from "../../../store/channels/topics.ts";
import { type Conversation, conversationName } from "../../../store/messages/conversations.ts";
import type { Emoji } from "../../../store/messages/reactions.ts";
import type { Group } from "../../../store/organization/groups.ts";
import { time } from "../../integrations/fields.ts";
import { SlackMarkup, type SlackNames } from "../../integrations/slack-markup.ts";
import { webUrl } from "../../integrations/text.ts";
import { ChannelTopics, titleOf } from "../channel-topics.ts";
import { datasourceEmoji } from "../emoji-names.ts";
import { isMeantByName, pathFor, UniqueNames, urlOfFile } from "../names.ts";
import {
  fromTheFuture,
  type ImportPlan,
  noDetails,
  type OwnerOptions,
  type PlannedChannel,
  type PlannedFile,
  type PlannedMessage,
  sentAt,
  type WrittenSoFar,
} from "../plan.ts";
import { ImportReport } from "../report.ts";
import { fetchSlackEmoji, fetchSlackFile, isAt, type SlackServers } from "./fetch.ts";
import {
  messagesOf,
  readSlackExport,
  type SlackConversation,
  type SlackExport,
  type SlackFile,
  type SlackMessage,
} from "./format.ts";
import { SlackPeople } from "./people.ts";

export interface SlackOptions extends OwnerOptions {
  /** Of an app with the scopes `files:read` and `emoji:read`. */
  token: string | undefined;
  /** Whether files are fetched; otherwise they stay links to Slack. */
  withFiles: boolean;
  servers: SlackServers;
  /** Whether nothing is fetched: files count as fetched, and have no content. */
  isRehearsal?: boolean;
  /** From which the paths of files are derived, so that nobody can guess them. */
  secret: string;
  /** The time of everything that has none in the export, in UNIX seconds. */
  now: number;
}

/** Reads the whole export once, without keeping its messages, and says what each part of it becomes. */
export async function planSlackImport(folder: string, options: SlackOptions): Promise<ImportPlan> {
  const report = new ImportReport();
  const archive = readSlackExport(folder, report);
  const plan = new SlackPlan(archive, options, report, await datasourceEmoji());
  plan.survey();
  return plan;
}

/** Where the messages of a conversation go. */
type Place = { kind: "channel"; planned: PlannedChannel } | { kind: "direct"; conversation: Conversation };

/** Messages outside of threads. */
const mainTopic = "imported from Slack";

/** What Slack itself says about a conversation. */
const noticePattern =
  /^((channel|group)_(join|leave|name|topic|purpose|archive|unarchive|convert_to_\w+|posting_permissions|canvas_\w+)|tabbed_canvas_\w+|(un)?pinned_item|bot_(add|remove|enable|disable)|app_conversation_\w+|joiner_notification\w*|reminder_\w+|sh_room_\w+)$/;

/** What the text of a file's message began with until 2018, besides what somebody wrote. */
const uploadNotice = /^<@[^>\n]*> (?:uploaded|shared|added) [^<>\n]*: <[^>\n]*>(?: and commented: )?/;

/** A message that comes, with all that has been decided about it. */
interface Kept {
  id: number;
  place: Place;
  senderId: number;
  slack: SlackMessage;
  conversation: SlackConversation;
  /** The file that has it. */
  path: string;
  files: (SlackFile & { planned: PlannedFile | undefined })[];
}

class SlackPlan implements ImportPlan {
  readonly report: ImportReport;
  readonly channels: PlannedChannel[] = [];
  readonly groups: Group[] = [];
  readonly organization = {};
  readonly details = noDetails();
  readonly conversations: Conversation[] = [];
  messageCount = 0;
  fileCount = 0;
  readonly #archive: SlackExport;
  readonly #options: SlackOptions;
  readonly #emoji: ReadonlyMap<string, Emoji>;
  readonly #people: SlackPeople;
  /** By Slack's ID of the conversation. */
  readonly #places = new Map<string, Place>();
  readonly #conversationsByName = new Map<string, Conversation>();
  readonly #channelNames = new UniqueNames();
  readonly #topics = new ChannelTopics(mainTopic);
  /** Where links to messages lead: their IDs, by conversation and time. Before the survey has ended, 0. */
  readonly #linkTargets = new Map<string, number>();
  /** The paths of files by Slack's ID. */
  readonly #paths = new Map<string, string>();

  constructor(archive: SlackExport, options: SlackOptions, report: ImportReport, emoji: ReadonlyMap<string, Emoji>) {
    this.#archive = archive;
    this.#options = options;
    this.#emoji = emoji;
    this.report = report;
    this.#people = new SlackPeople(archive.users, options, report);
    for (const conversation of archive.conversations) this.#addPlace(conversation);
    // Descriptions may name any channel.
    const markup = new SlackMarkup(this.#namesFor(undefined));
    for (const { id, purpose, topic } of archive.conversations) {
      const place = this.#places.get(id);
      if (place?.kind !== "channel") continue;
      const text = markup.fromMrkdwn(purpose?.value || topic?.value);
      place.planned.channel.description = truncate(
        text.replace(/\s+/g, " ").trim(),
        limits.channelDescriptionLength,
        "…",
      );
    }
  }

  get members() {
    return this.#people.members;
  }

  get topics(): Topic[] {
    return this.#topics.list();
  }

  pictures() {
    return [];
  }

  async fetchEmoji() {
    if (this.#options.isRehearsal) return [];
    return fetchSlackEmoji(this.#options.servers, this.#options.token);
  }

  async fetchFile(file: PlannedFile) {
    if (this.#options.isRehearsal) return new Uint8Array();
    return fetchSlackFile(file, this.#options.servers, this.#options.token);
  }

  /** Decides everything that follows from the messages: who else there is, topics, counts, and where links lead. */
  survey(): void {
    const { report } = this;
    const times: number[] = [];
    const places: number[] = [];
    const placeIndexes = new Map(this.#archive.conversations.map(({ id }, index) => [id, index]));
    for (const kept of this.#kept((what, example) => report.lacks(what, 1, example))) {
      const { slack, conversation, id, place, files } = kept;
      this.messageCount = id;
      if (Number(slack.ts) > this.#options.now) report.lacks(fromTheFuture, 1, sourceOf(kept));
      times.push(microsecondsOf(slack.ts));
      places.push(placeIndexes.get(conversation.id) ?? 0);
      report.comes(place.kind === "channel" ? "messages in channels" : "direct messages");
      if (place.kind === "channel")
        this.#topics.count(place.planned, this.#topicOf(kept, place.planned), {
          ...{ id, at: sentAt(Number(slack.ts), this.#options.now), now: this.#options.now },
        });
      for (const file of files) {
        if (file.planned) {
          this.fileCount = file.planned.id;
          this.#paths.set(file.id, this.#paths.get(file.id) ?? file.planned.pathId);
          report.comes("files to fetch");
        } else if (!isGone(file))
          report.lacks("files that stay links, because Slack does not have them or they are not fetched");
      }
      const { text, room } = this.#partsOf(kept, { emoji: [], files: new Set() });
      if (lengthOf(text) > room)
        report.lacks(`messages of more than ${limits.messageLength} characters: they are truncated`, 1, sourceOf(kept));
      this.#surveyReactions(slack);
    }
    // The targets are known only now: what links to a message is newer.
    for (const [index, time] of times.entries()) {
      const key = `${this.#archive.conversations[places[index] as number]?.id}|${time}`;
      if (this.#linkTargets.has(key)) this.#linkTargets.set(key, index + 1);
    }
    report.comes("topics", this.topics.length);
  }

  *messages(): Generator<PlannedMessage> {
    for (const kept of this.#kept(() => {})) {
      const { id, place, senderId, slack, files } = kept;
      const links = new Set<string>();
      this.#textOf(kept, (pathId) => {
        links.add(pathId);
        return undefined;
      });
      const editedAt = Math.floor(time().parse(Number(slack.edited?.ts ?? "")));
      yield {
        message: {
          ...{ id, senderId, client: "Slack", readBySender: true, sentAt: sentAt(Number(slack.ts), this.#options.now) },
          ...(place.kind === "channel"
            ? {
                channelId: place.planned.channel.id,
                topic: this.#topicOf(kept, place.planned),
                recipientId: place.planned.channel.recipientId,
              }
            : place.conversation),
          ...(editedAt > 0 && { lastEditAt: editedAt }),
        },
        source: sourceOf(kept),
        files: files.flatMap(({ planned }) => planned ?? []),
        linkedPathIds: [...links],
        content: (written) => this.#contentOf(kept, written),
        reactions: (written) => this.#reactionsOf(slack, written),
      };
    }
  }

  /** The messages that come, in order. Each call decides the same. */
  *#kept(lacks: (what: string, example?: string) => void): Generator<Kept> {
    let [id, fileId] = [0, 0];
    for (const { conversation, message: slack, path } of messagesOf(this.#archive, lacks)) {
      const place = this.#places.get(conversation.id);
      if (!place) continue;
      if (slack.hidden) {
        lacks("entries that Slack does not show either");
        continue;
      }
      if (slack.subtype === "bot_add") this.#people.nameBot(slack);
      if (noticePattern.test(slack.subtype)) {
        lacks("notices of Slack, such as who joined");
        continue;
      }
      if (slack.subtype === "tombstone") {
        lacks("messages that were deleted in Slack");
        continue;
      }
      const author = this.#people.authorOf(slack);
      if (!author) {
        lacks("messages without an author", `${slack.ts} in ${path}`);
        continue;
      }
      const own = slack.files.length > 0 ? slack.files : slack.file ? [slack.file] : [];
      const listed = [...own, ...slack.attachments.flatMap(({ files, is_share }) => (is_share ? files : []))];
      const kept: Kept = { id: id + 1, place, senderId: author.id, slack, conversation, path, files: [] };
      for (const file of listed) {
        if (isGone(file)) {
          lacks(
            file.file_access === ofOtherWorkspace
              ? "files of other workspaces, of which the export has no more than the ID"
              : "files that were deleted in Slack, or are hidden by its plan",
          );
          continue;
        }
        const planned = this.#planFile(file, slack, conversation, fileId + 1);
        if (planned) fileId++;
        kept.files.push({ ...file, planned });
      }
      if (kept.files.length === 0 && this.#textOf(kept, () => undefined).trim() === "") {
        lacks("messages without anything that can be shown", `${slack.ts} in ${path}`);
        continue;
      }
      id++;
      yield kept;
    }
  }

  #addPlace(conversation: SlackConversation): void {
    const { kind } = conversation;
    const memberIds = conversation.members.map((slackId) => this.#people.findOrAdd(slackId, "").id);
    const recipientId = this.channels.length + this.conversations.length + 1;
    if (kind === "channel" || kind === "private") {
      const planned = this.#planChannel(conversation, memberIds, recipientId);
      this.channels.push(planned);
      this.#places.set(conversation.id, { kind: "channel", planned });
      this.report.comes(
        kind === "private" ? "private channels" : conversation.is_archived ? "archived channels" : "channels",
      );
      return;
    }
    const userIds = [...new Set(memberIds)].sort((a, b) => a - b);
    if (userIds.length === 0 || userIds.length > limits.directMessageParticipants) {
      this.report.lacks(
        "direct conversations without people, or with too many",
        1,
        conversation.name || conversation.id,
      );
      return;
    }
    const known = this.#conversationsByName.get(conversationName(userIds));
    const target = known ?? { userIds, recipientId };
    if (!known) {
      this.conversations.push(target);
      this.#conversationsByName.set(conversationName(userIds), target);
      this.report.comes("direct conversations");
    }
    this.#places.set(conversation.id, { kind: "direct", conversation: target });
  }

  #planChannel(conversation: SlackConversation, memberIds: readonly number[], recipientId: number): PlannedChannel {
    const subscriberIds = memberIds.filter((id) => !this.members[id - 1]?.deactivated);
    const creator = this.#people.find(conversation.creator);
    const id = this.channels.length + 1;
    return {
      channel: {
        ...{ id, version: 1, recipientId, name: this.#channelName(conversation) },
        ...{ description: "", renderedDescription: "" },
        createdAt: conversation.created > 0 ? Math.floor(conversation.created) : this.#options.now,
        creatorId: creator?.id ?? null,
        inviteOnly: conversation.kind === "private",
        isWebPublic: false,
        // In Slack, whoever joins a private channel reads all of it.
        historyPublicToSubscribers: true,
        messageRetentionDays: null,
        topicsPolicy: "inherit",
        isDefault: conversation.is_general,
        isArchived: conversation.is_archived,
        folderId: null,
        permissions: defaultPermissions(creator && !creator.deactivated && !creator.botType ? creator.id : null),
      },
      stats: { subscriberCount: subscriberIds.length },
      subscriptions: subscriberIds.map((userId) => newSubscription(userId, id, 1)),
    };
  }

  #channelName({ name, id }: SlackConversation): string {
    const clean = name.replace(/[*>@]|[\p{Cc}\p{Cs}\p{Cn}]/gu, "").trim() || id;
    const unique = this.#channelNames.take(clean, limits.channelNameLength);
    if (unique !== name) this.report.lacks("channels under another name", 1, `${name || id} → ${unique}`);
    return unique;
  }

  /** The topic of a message in a channel: each thread is one, named by its first message. */
  #topicOf(kept: Kept, { channel }: PlannedChannel): string {
    const { thread_ts, ts } = kept.slack;
    if (!/^\d+\.\d+$/.test(thread_ts)) return mainTopic;
    const title = () => (thread_ts === ts ? titleOf(this.#textOf(kept, () => undefined)) : "");
    return this.#topics.ofThread(channel.id, microsecondsOf(thread_ts), Number(thread_ts), title);
  }

  #planFile(file: SlackFile, slack: SlackMessage, { id }: SlackConversation, fileId: number): PlannedFile | undefined {
    const { withFiles, servers, secret } = this.#options;
    const url = file.url_private_download || file.url_private;
    if (!withFiles || file.mode === "external" || !isAt(servers.files, url)) return undefined;
    // In each conversation a file of its own, as each has readers of its own.
    const name = file.name || file.title || file.id;
    const pathId = pathFor(`${id}|${slack.ts}|${file.id}|${fileId}`, name, secret);
    return { id: fileId, pathId, name: displayName(name), url, isHtml: /html|slack-docs|quip/.test(file.mimetype) };
  }

  #contentOf(kept: Kept, written: WrittenSoFar): string {
    const { text, links, room } = this.#partsOf(kept, written);
    return [truncateContent(text, room), links].filter((part) => part !== "").join("\n\n");
  }

  /** A message's text, the links to its files below it, and how many characters of the text fit, so that the links stay. */
  #partsOf(kept: Kept, written: WrittenSoFar): { text: string; links: string; room: number } {
    const text = this.#textOf(kept, (pathId) => (written.files.has(pathId) ? urlOfFile(pathId) : undefined));
    const files = kept.files.map(({ planned, title, name, permalink, url_private }) => {
      const label = (title || name || "file").replace(/[[\]\s]+/g, " ").trim();
      const isHere = planned && written.files.has(planned.pathId);
      const url = isHere ? urlOfFile(planned.pathId) : webUrl(withoutQuery(permalink || url_private));
      return url === undefined ? label : `[${label}](${url})`;
    });
    const links = truncateContent(files.join("\n"), limits.messageLength / 2);
    return { text, links, room: limits.messageLength - (links === "" ? 0 : lengthOf(`${links}\n\n`)) };
  }

  /** A message's text in Markdown, without its files. `urlOf` gets the path of a file that the text links to. */
  #textOf({ slack, senderId }: Kept, urlOf: (pathId: string) => string | undefined): string {
    const markup = new SlackMarkup(this.#namesFor(senderId, urlOf));
    const text =
      slack.subtype === "file_comment"
        ? (slack.comment?.comment ?? "")
        : slack.subtype === "file_share" && slack.file
          ? slack.text.replace(uploadNotice, "")
          : slack.text;
    // Previews of pages are made anew; what somebody shares is text.
    const attachments = slack.attachments.filter(({ from_url, is_share }) => from_url === "" || is_share);
    // The texts in blocks are limited, so that a long message is taken from its own text.
    const blocks = text.length > 15_000 ? [] : slack.blocks.map((block) => markup.blockText(block));
    const own = blocks.map((piece) => piece.trim()).filter((piece) => piece !== "");
    const pieces = own.length > 0 ? own : [markup.fromMrkdwn(text)];
    const content = [...pieces, ...attachments.map((item) => markup.attachmentText(item))]
      .map((piece) => piece.trim())
      .filter((piece) => piece !== "")
      .join("\n\n")
      .replaceAll("\0", "");
    return slack.subtype === "me_message" && content !== "" ? `/me ${content}` : content;
  }

  #namesFor(authorId: number | undefined, urlOf: (pathId: string) => string | undefined = () => undefined): SlackNames {
    return {
      user: (slackId, label) => {
        const member = this.#people.find(slackId);
        return member ? mention(member) : `@${label || slackId}`;
      },
      userInCell: (slackId, label) => {
        const member = this.#people.find(slackId);
        if (!member) return `@${label || slackId}`;
        return (
          (isMeantByName(member, this.#people.members) && mentionByName(member.fullName, "@")) || `@${member.fullName}`
        );
      },
      channel: (slackId, label) => {
        const place = this.#places.get(slackId);
        if (place?.kind !== "channel") return `#${label || "unknown-channel"}`;
        const { channel, subscriptions } = place.planned;
        // The name of a private channel is for its members; Slack omits it from the text.
        const mayName = !channel.inviteOnly || subscriptions.some(({ userId }) => userId === authorId);
        return mayName ? channelReference(channel) : `#${label || "private-channel"}`;
      },
      userGroup: (_, label) => (label ? `@${label.replace(/^@/, "")}` : "@group"),
      broadcast: () => "@**all**",
      emoji: (slackName) => {
        const known = this.#emoji.get(withoutSkinTone(slackName));
        return known && `:${known.name}:`;
      },
      link: (url) => this.#linkOf(url, urlOf) ?? webUrl(url),
    };
  }

  /** Where a link to something in Slack leads to now; undefined for others. */
  #linkOf(url: string, urlOf: (pathId: string) => string | undefined): string | undefined {
    const [, conversationId = "", seconds, micros, query = ""] =
      /^https:\/\/[\w.-]+\.slack\.com\/archives\/(\w+)(?:\/p(\d{9,11})(\d{6}))?\/?(\?.*)?$/.exec(url) ?? [];
    const place = this.#places.get(conversationId);
    if (place) {
      if (seconds === undefined || micros === undefined)
        return place.kind === "channel" ? narrowOf(place, mainTopic) : undefined;
      const time = Number(seconds + micros);
      const key = `${conversationId}|${time}`;
      const id = this.#linkTargets.get(key);
      if (id === undefined) this.#linkTargets.set(key, 0);
      if (!id) return undefined;
      const thread = new URLSearchParams(query).get("thread_ts");
      const threadTime = thread && /^\d+\.\d+$/.test(thread) ? microsecondsOf(thread) : time;
      const topic =
        place.kind === "channel" ? this.#topics.findThread(place.planned.channel.id, threadTime) : undefined;
      return `${narrowOf(place, topic ?? mainTopic)}/near/${id}`;
    }
    const [, fileId = ""] =
      /^https:\/\/(?:[\w.-]+\.slack\.com\/files\/\w+|files\.slack\.com\/files-pri)\/(?:\w+-)?(F\w+)/.exec(url) ?? [];
    const pathId = this.#paths.get(fileId);
    return pathId === undefined ? undefined : urlOf(pathId);
  }

  #surveyReactions({ reactions }: SlackMessage): void {
    for (const { name, users } of reactions) {
      const known = users.filter((slackId) => this.#people.find(slackId)).length;
      if (known < users.length)
        this.report.lacks("reactions of people who are not in the export", users.length - known);
      if (this.#emoji.has(withoutSkinTone(name))) this.report.comes("reactions", known);
      else if (this.#options.token === undefined)
        this.report.lacks("reactions with custom emoji, without a token", known, name);
      else this.report.comes("reactions with custom emoji, if Slack still has these", known);
    }
  }

  #reactionsOf({ reactions }: SlackMessage, { emoji: custom }: WrittenSoFar) {
    return reactions.flatMap(({ name: slackName, users }) => {
      const name = withoutSkinTone(slackName);
      const own = custom.find((one) => one.name === name);
      const emoji: Emoji | undefined = own
        ? { name, code: String(own.id), type: "realm_emoji" }
        : this.#emoji.get(name);
      const userIds = [...new Set(users.flatMap((slackId) => this.#people.find(slackId)?.id ?? []))];
      return emoji && userIds.length > 0 ? [{ emoji, userIds }] : [];
    });
  }
}

const sourceOf = ({ path, slack }: Kept) => `the message of ${slack.ts} in ${path}`;

const ofOtherWorkspace = "check_file_info";

const isGone = ({ mode, file_access }: SlackFile) =>
  ["tombstone", "hidden_by_limit"].includes(mode) ||
  ["access_denied", "file_not_found", ofOtherWorkspace].includes(file_access);

const microsecondsOf = (ts: string) => Number(ts.replace(".", ""));

const withoutQuery = (url: string) => url.replace(/[?#].*$/s, "");

const narrowOf = (place: Place, topic: string): string =>
  place.kind === "channel"
    ? `/${topicPath(place.planned.channel.id, place.planned.channel.name, topic)}`
    : `/#narrow/dm/${encodeOperand(`${place.conversation.userIds.join(",")}-dm`)}`;

/** The name of an emoji without its skin tone, as in `wave::skin-tone-3`: there are no skin tones here. */
const withoutSkinTone = (name: string): string => name.split("::")[0] ?? name;
