import { secondsPerDay } from "./time.ts";

/** The server's limits, and switches that only the operator can change. */

export const featureLevel = 420;
export const zulipVersion = "11.0";
export const zulipMergeBase = "11.0";

/** The ID of the fleet's only organization, in paths of files. */
export const realmId = 1;

/** All lengths count Unicode code points. */
export const limits = {
  messageLength: 10_000,
  /** The HTML of a message in UTF-8. Zulip, too, limits it to 100 times the length of a message. */
  renderedBytes: 1_000_000,
  /** A topic's links, which each of its messages has. */
  topicLinksBytes: 20_000,
  /** Different emoji among a message's reactions, those with which one user may react, and reactions in all. */
  emojiPerMessage: 100,
  emojiPerReactor: 40,
  reactionsPerMessage: 10_000,
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
  /** Channels that a user, except for administrators, may create in a day: each sends an event to all clients. */
  channelsPerDay: 200,
  channelNameLength: 60,
  channelDescriptionLength: 1024,
  channelFolderNameLength: 60,
  channelFolderDescriptionLength: 1024,
  reminderNoteLength: 1000,
  groupNameLength: 100,
  groupDescriptionLength: 1024,
  fullNameLength: 100,
  statusTextLength: 60,
  snippetTitleLength: 60,
  /** Saved snippets of a user. One reply contains all of them. */
  savedSnippets: 100,
  /** A bot's storage: its number of entries, its total size, and the sizes of a name and of a value. */
  botStorageEntries: 1000,
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
  /** The same limit in whole MiB, as clients see it. */
  fileUploadMib: 4,
  /** The maximum file that is uploaded by a presigned link. */
  presignedUploadMib: 100,
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
  /** Invitations by e-mail within 24 hours, so that the server cannot be used to send spam. */
  invitationsPerDay: 100,
  /** Entries of a list parameter without a limit of its own. */
  listLength: 20_000,
} as const;

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

/** Parses limits such as "200/60", requests/seconds; undefined for "off". */
export function parseRateLimits(text: string): RateLimits | undefined {
  if (text === "off") return undefined;
  const [, calls, seconds] = /^([1-9]\d{0,6})\/([1-9]\d{0,4})$/.exec(text) ?? [];
  if (!calls || !seconds) throw new Error('SKEIN_RATE_LIMITS must be "off", or requests/seconds such as "200/60"');
  return { calls: Number(calls), seconds: Number(seconds) };
}

let parsedLimits: { text: string; limits: RateLimits | undefined } | undefined;

/** The rate limits; undefined: none. */
export function rateLimits(): RateLimits | undefined {
  const text = process.env.SKEIN_RATE_LIMITS || defaultRateLimits;
  if (parsedLimits?.text !== text) parsedLimits = { text, limits: parseRateLimits(text) };
  return parsedLimits.limits;
}

/** Whether this is a development server on one machine, where `dev_fetch_api_key` works. Only that host sets it. */
export const isDevelopmentServer = () => process.env.SKEIN_DEVELOPMENT === "true";

/** Whether channels may be web-public, if the organization allows spectators. */
export const webPublicChannelsEnabled = () => process.env.SKEIN_WEB_PUBLIC_CHANNELS !== "false";

/** Zulip's CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE: whether callers see the presence only of users whom they can access. */
export const isPresenceLimited = () => process.env.SKEIN_LIMIT_PRESENCE === "true";

/**
 * The prefix of wake-up queues' URLs, before the ID of the event queue; undefined in a fleet without wake-up queues, where
 * `GET /events` itself waits.
 */
export const wakeUpQueuesUrl = () => process.env.WAKE_UP_QUEUES_URL || undefined;

/** The server's public URL without a path; empty if the operator has not set it. */
export const serverUrl = () => process.env.SKEIN_URL ?? "";

/**
 * The base URL for links in replies and e-mails. It is the configured URL rather than the request's, whose Host header a client
 * may forge. Without a configured URL, a fleet is reached only by API Gateway's own name, which cannot be forged.
 */
export const linkUrl = (requestUrl: string) => serverUrl() || requestUrl;

/** The origin of presigned links to the bucket; undefined when there is no bucket. */
export function filesOrigin(): string | undefined {
  const { FILES_BUCKET: bucket, AWS_REGION: region, AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_S3 } = process.env;
  const endpoint = AWS_ENDPOINT_URL_S3 || AWS_ENDPOINT_URL;
  if (!bucket) return undefined;
  return endpoint ? new URL(endpoint).origin : `https://${bucket}.s3.${region}.amazonaws.com`;
}

/** Whether the operator has configured a sender address, without which no e-mail is sent. */
export const isMailEnabled = () => (process.env.MAIL_FROM ?? "") !== "";

/** The push bouncer's URL; undefined if the operator has set none, which disables push notifications. */
export const pushBouncerUrl = () => process.env.SKEIN_PUSH_BOUNCER_URL || undefined;

/** An optional service. Some workers are deployed only with it. */
export type Service = "push" | "mail";

/** The maximum length of an e-mail address in SMTP. */
export const maxAddressLength = 254;
