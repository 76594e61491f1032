import type { Member } from "../../shared/bootstrap/members.ts";
import { placeholderDomain } from "../../shared/limits.ts";
import { roles } from "../../shared/schema/roles.ts";
import type { Channel, ChannelStats } from "../../shared/store/channels/channels.ts";
import type { Topic } from "../../shared/store/channels/topics.ts";
import type { Conversation } from "../../shared/store/messages/conversations.ts";
import type { Message } from "../../shared/store/messages/messages.ts";
import type { Emoji } from "../../shared/store/messages/reactions.ts";
import type { OrganizationEmoji } from "../../shared/store/organization/emoji.ts";
import type { ImportReport } from "./report.ts";

/**
 * What an archive of any kind becomes. All IDs follow from the archive alone, so that an import that is repeated or continued
 * writes the same items again.
 */
export interface ImportPlan {
  /** People first, then bots; without the system bots. */
  members: Member[];
  channels: PlannedChannel[];
  conversations: Conversation[];
  topics: Topic[];
  messageCount: number;
  fileCount: number;
  report: ImportReport;
  /** Fetches the pictures of custom emoji, of names that do not change between attempts. */
  fetchEmoji(): Promise<{ name: string; content: Buffer }[]>;
  /** Fetches a file; undefined if it cannot be had. */
  fetchFile(file: PlannedFile): Promise<Uint8Array | undefined>;
  /** All messages in the order of their IDs, which begin with 1, read anew with each call. */
  messages(): Iterable<PlannedMessage>;
}

export interface PlannedChannel {
  channel: Channel;
  stats: ChannelStats;
  subscriberIds: number[];
}

/** A file of a message. */
export interface PlannedFile {
  /** Unique among the files, and the same in each attempt. */
  id: number;
  pathId: string;
  name: string;
  url: string;
  /** Whether a page of HTML is the file, and not an invitation to sign in. */
  isHtml: boolean;
}

/** What is known of the organization when a message is written. */
export interface WrittenSoFar {
  emoji: readonly OrganizationEmoji[];
  /** The message's own files that could be fetched, by their IDs, and the earlier ones that it links to. */
  files: ReadonlySet<string>;
}

export interface PlannedMessage {
  message: Omit<Message, "content" | "html">;
  files: PlannedFile[];
  /** The paths of earlier files that the text may link to. */
  linkedPathIds: string[];
  /** The Markdown of the text, with links to the files that exist by now. */
  content(written: WrittenSoFar): string;
  reactions(written: WrittenSoFar): { emoji: Emoji; userIds: number[] }[];
}

/** Whether this is an owner who can choose a password by mail or a link: at least one is needed to let in everybody else. */
export const isReachableOwner = ({ role, deactivated, email }: Member): boolean =>
  role === roles.owner && !deactivated && !email.endsWith(`@${placeholderDomain}`);
