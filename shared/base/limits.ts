import { secondsPerDay } from "./time.ts";

/** The server's limits, and switches that only the operator can change. */

export const featureLevel = 420;
/**
 * The levels that the operator may have the server tell, each with all that differs from the level before it. Clients decide by the
 * level which shapes they send and expect: a level may be added only with all of its shapes.
 */
export const servedLevels: readonly number[] = [
  featureLevel,
  // The number of the release, and no other change.
  421,
];
export const zulipVersion = "11.0";
export const zulipMergeBase = "11.0";

/** The ID of the fleet's only organization, in paths of files. */
export const realmId = 1;

/** All lengths count Unicode code points. */
export const limits = {
  messageLength: 10_000,
  /** The HTML of a message in UTF-8. Zulip, too, limits it to 100 times the length of a message. */
  renderedBytes: 1_000_000,
  /** The HTML elements of a message: about as many as a browser shows within a tenth of a second. */
  renderedElements: 6000,
  /** How many elements an emoji counts as: browsers take longer to show one, and the longest message could consist of them. */
  elementsPerEmoji: 4,
  /** A topic's links, which each of its messages has. */
  topicLinksBytes: 20_000,
  /** Different emoji among a message's reactions, and those with which one user may react. */
  emojiPerMessage: 100,
  emojiPerReactor: 40,
  topicLength: 60,
  /** A poll's question and options; a to-do list's title, tasks and descriptions; the texts of a form. */
  widgetTextLength: 1000,
  /** Options or tasks in the message that makes the widget, and those added later: by one user, and by all. */
  widgetItemsAtFirst: 200,
  widgetItemsPerSender: 100,
  widgetItemsAdded: 500,
  /** A widget's submessages in a reply: those that one user may add, and all: about 12,000 votes. */
  widgetBytesPerSender: 100_000,
  widgetBytes: 2_000_000,
  channelNameLength: 60,
  channelDescriptionLength: 1024,
  channelFolderNameLength: 60,
  channelFolderDescriptionLength: 1024,
  reminderNoteLength: 1000,
  groupNameLength: 100,
  groupDescriptionLength: 1024,
  /** All user groups in JSON, with their members: every client gets all of them. */
  groupListBytes: 2_000_000,
  /** How deep user groups nest: a group with a direct subgroup has 2 levels. */
  groupLevels: 10,
  fullNameLength: 100,
  statusTextLength: 60,
  snippetTitleLength: 60,
  /** A bot's storage: its total size, and the sizes of a name and of a value. */
  botStorageBytes: 1_000_000,
  botStorageNameBytes: 1000,
  botStorageValueBytes: 200_000,
  alertWordLength: 100,
  minPasswordLength: 6,
  maxPasswordLength: 100,
  minPasswordGuesses: 10_000,
  /**
   * The maximum file that passes through a function. Lambda allows 6 MB of base64; larger files are sent by presigned links.
   */
  maxLambdaFileBytes: 4_400_000,
  /** The maximum file that is uploaded by a presigned link, or to a host that reads requests itself. */
  presignedUploadMib: 100,
  /** An archive of another chat that an owner imports in the page: a function unpacks and checks it within its time and space. */
  importedArchiveMib: 1024,
  /** Avatars, emoji and the organization's pictures. These always pass through a function. */
  pictureMib: 4,
  /** Files that a message may link to: each adds writes to its transaction. */
  filesPerMessage: 20,
  bulkNewSubscriptionMessages: 100,
  messagesPerFetch: 5000,
  /** Each participant adds a write to the message's transaction. */
  directMessageParticipants: 80,
  /** Lambda's limit for an event is 6 MB, and forms arrive in base64. */
  requestBodyBytes: 4_450_000,
  /** Of a request whose sender need not say who they are: far more than any such request takes. */
  anonymousBodyBytes: 65_536,
  /** Entries of a list parameter without a limit of its own. */
  listLength: 20_000,
} as const;

/** The maximum file in a request to a host that reads requests itself. */
export const maxStreamedFileBytes = limits.presignedUploadMib * 1024 * 1024;

/** The domain of placeholder addresses and of bots' addresses. It can never receive mail (RFC 6761). */
export const placeholderDomain = "skein.invalid";

/** How long the log retains an event. Exceeds the maximum lifespan of an event queue. */
export const eventRetentionSeconds = 8 * secondsPerDay;

/** How long `GET /events` waits before it returns a heartbeat. API Gateway's limit is 30 s. */
export const longPollSeconds = 24;

/** How long `GET /events` waits in a fleet whose wake-up route has not been verified to work (`WakeUpProof`). */
export const unverifiedLongPollSeconds = 10;

/** How long a file is kept to which no message links: four weeks. */
export const unclaimedFileSeconds = 28 * secondsPerDay;

/** The lifetime of an e-mailed link that confirms an address or resets a password: a day. */
export const linkLifetimeSeconds = secondsPerDay;

/** A scheduled message that is overdue by more than this is marked as failed instead of sent. */
export const scheduledMessageGraceSeconds = 600;

/** The number of calls that an account may make within a time window. */
export interface RateLimits {
  calls: number;
  seconds: number;
}

export const defaultRateLimits = "200/60";

/** For how many days the audit log keeps records, unless the operator sets it. */
export const defaultAuditLogDays = 365;

/** Parses limits such as "200/60", requests/seconds; undefined for "off". */
export function parseRateLimits(text: string): RateLimits | undefined {
  if (text === "off") return undefined;
  const [, calls, seconds] = /^([1-9]\d{0,6})\/([1-9]\d{0,4})$/.exec(text) ?? [];
  if (!calls || !seconds) throw new Error('SKEIN_RATE_LIMITS must be "off", or requests/seconds such as "200/60"');
  return { calls: Number(calls), seconds: Number(seconds) };
}

/** An optional service. Some workers are deployed only with it. */
export type Service = "mail" | "incoming-mail" | "alarms";

/** The maximum length of an e-mail address in SMTP. */
export const maxAddressLength = 254;
