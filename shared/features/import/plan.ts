import { placeholderDomain } from "../../base/limits.ts";
import { roles } from "../../base/schema/roles.ts";
import type { PictureKind } from "../../services/pictures/kinds.ts";
import type { ChannelFolder } from "../../store/channels/channel-folders.ts";
import type { Channel, ChannelStats } from "../../store/channels/channels.ts";
import type { Subscription } from "../../store/channels/subscriptions.ts";
import type { Topic } from "../../store/channels/topics.ts";
import type { UserTopic } from "../../store/channels/user-topics.ts";
import type { Conversation } from "../../store/messages/conversations.ts";
import type { SparseFlag } from "../../store/messages/message-flags.ts";
import type { Message } from "../../store/messages/messages.ts";
import type { Emoji } from "../../store/messages/reactions.ts";
import type { Reminder } from "../../store/messages/reminders.ts";
import type { ScheduledMessage } from "../../store/messages/scheduled-messages.ts";
import type { Submessage } from "../../store/messages/submessages.ts";
import type { OrganizationEmoji } from "../../store/organization/emoji.ts";
import type { Group } from "../../store/organization/groups.ts";
import type { ReplacedOwner } from "../../store/organization/import.ts";
import type { Linkifier } from "../../store/organization/linkifiers.ts";
import type { Organization } from "../../store/organization/organization.ts";
import type {
  DefaultStreamGroup,
  NavigationView,
  Playground,
  ProfileField,
  RealmDomain,
} from "../../store/organization/short-lists.ts";
import type { AlertWords } from "../../store/users/alert-words.ts";
import type { Draft } from "../../store/users/drafts.ts";
import type { MutedUser } from "../../store/users/muted-users.ts";
import type { Snippet } from "../../store/users/saved-snippets.ts";
import type { ChangedSettings } from "../../store/users/user-settings.ts";
import type { UserStatus } from "../../store/users/user-status.ts";
import type { Member } from "../bootstrap/members.ts";
import type { ImportReport } from "./report.ts";

/**
 * What an archive of any kind becomes. All IDs follow from the archive alone, so that an import that is repeated or continued
 * writes the same items again.
 */
export interface ImportPlan {
  /** People first, then bots; without the system bots. */
  members: Member[];
  channels: PlannedChannel[];
  /** Groups that people made, in the order of their IDs, which follow those of the system groups. */
  groups: Group[];
  conversations: Conversation[];
  topics: Topic[];
  messageCount: number;
  fileCount: number;
  report: ImportReport;
  /** What is known of the organization besides its name. */
  organization: Partial<Organization>;
  details: PlannedDetails;
  /** Fetches the pictures of custom emoji, in an order and of names that do not change between attempts. */
  fetchEmoji(): Promise<PlannedEmoji[]>;
  /** The pictures of people and of the organization, with the names that they get. */
  pictures(): Iterable<PlannedPicture>;
  /** Fetches a file; undefined if it cannot be had. */
  fetchFile(file: PlannedFile): Promise<Uint8Array | undefined>;
  /** All messages in the order of their IDs, which begin with 1, read anew with each call. */
  messages(): Iterable<PlannedMessage>;
}

/** When a message was sent, by a time that an archive has: not after the import, where the newest messages would stay the newest. */
export const sentAt = (seconds: number, now: number): number => Math.min(Math.floor(seconds), now);

/** What the report says of messages for which this changes the time. */
export const fromTheFuture = "dates of messages that are in the future: the time of the import";

/** Who owns the organization. */
export interface OwnerOptions {
  /** The primary owner's address, if the export has none. */
  ownerEmail: string | undefined;
  /** The owner of the organization that the import replaces. */
  owner?: ReplacedOwner | undefined;
}

export interface PlannedChannel {
  channel: Channel;
  stats: ChannelStats;
  /** Including those that have ended. */
  subscriptions: Subscription[];
}

/** What belongs to people or to the organization besides channels and messages. */
export interface PlannedDetails {
  linkifiers: Linkifier[];
  playgrounds: Playground[];
  realmDomains: RealmDomain[];
  profileFields: ProfileField[];
  channelFolders: ChannelFolder[];
  /** The settings of people that differ from the defaults. */
  settings: Map<number, ChangedSettings>;
  statuses: UserStatus[];
  userTopics: UserTopic[];
  mutedUsers: MutedUser[];
  alertWords: Omit<AlertWords, "version">[];
  snippets: Snippet[];
  drafts: Draft[];
  scheduledMessages: Omit<ScheduledMessage, "html">[];
  /** Files that only scheduled messages have, with the time of the last of these in UNIX seconds. */
  scheduledFiles: (PlannedFile & { ownerId: number; keptUntil: number })[];
  /** Their IDs follow those of scheduled messages. */
  reminders: Omit<Reminder, "html">[];
  defaultStreamGroups: DefaultStreamGroup[];
  navigationViews: Map<number, NavigationView[]>;
  onboardingSteps: Map<number, string[]>;
  /** By the IDs of bots, what they have stored. */
  botStorage: Map<number, Map<string, string>>;
}

/** Of archives that have nothing of the kind. */
export const noDetails = (): PlannedDetails => ({
  ...{ linkifiers: [], playgrounds: [], realmDomains: [], profileFields: [], channelFolders: [], settings: new Map() },
  ...{ statuses: [], userTopics: [], mutedUsers: [], alertWords: [], snippets: [], drafts: [], scheduledMessages: [] },
  ...{ scheduledFiles: [], reminders: [], defaultStreamGroups: [] },
  ...{ navigationViews: new Map(), onboardingSteps: new Map(), botStorage: new Map() },
});

/** A picture of a person, or one of the organization. */
export interface PlannedPicture {
  kind: PictureKind;
  /** The same in each attempt. Whose picture this is has it already; it is taken away if the picture is unusable. */
  name: string;
  content: Buffer;
  forget(): void;
}

/** An emoji's ID is its position, also if its picture turns out to be unusable. */
export interface PlannedEmoji {
  name: string;
  content: Buffer;
  authorId: number | null;
  /** Shown only in what was written before. */
  deactivated: boolean;
}

/** A file of a message, of the first one if several have it, or of scheduled messages. */
export interface PlannedFile {
  /** Unique among the files, and the same in each attempt. */
  id: number;
  pathId: string;
  name: string;
  /** Where the archive's reader fetches it. */
  url: string;
  /** Whether a page of HTML is the file, and not an invitation to sign in. */
  isHtml: boolean;
  /** Unless it is the message's sender. */
  ownerId?: number;
  /** UNIX seconds, unless it is the message's time. */
  createdAt?: number;
  /** How many messages have the file. Default 1. */
  claims?: number;
}

/** What is known of the organization when a message is written. */
export interface WrittenSoFar {
  emoji: readonly OrganizationEmoji[];
  /** The message's own files that could be fetched, by their IDs, and the earlier ones that it links to. */
  files: ReadonlySet<string>;
}

export interface PlannedMessage {
  message: Omit<Message, "content" | "html">;
  /** Where it is in the archive, as a part of a sentence. */
  source: string;
  files: PlannedFile[];
  /** The paths of earlier files that the text may link to. */
  linkedPathIds: string[];
  /** Those of them that the message has too: who may read it may read them. */
  sharedPathIds?: string[];
  /** Whom the archive lists as mentioned, besides those whom the text mentions. */
  flags?: { userId: number; flags: SparseFlag[] }[];
  /** Who has not read the message. Everybody else has, or did not receive it. */
  unreadBy?: number[];
  submessages?: Omit<Submessage, "id">[] | undefined;
  /** Former texts, by the numbers by which the edit history refers to them. */
  formerTexts?: { number: number; content: string }[];
  /** The Markdown of the text, with links to the files that exist by now. */
  content(written: WrittenSoFar): string;
  reactions(written: WrittenSoFar): { emoji: Emoji; userIds: number[] }[];
}

/** Whether mail can reach somebody: a placeholder address never receives any. */
export const hasRealAddress = ({ email }: Pick<Member, "email">): boolean => !email.endsWith(`@${placeholderDomain}`);

/** Whether this is an owner who can choose a password by mail or a link: at least one is needed to let in everybody else. */
export const isReachableOwner = (member: Member): boolean =>
  member.role === roles.owner && !member.deactivated && hasRealAddress(member);
