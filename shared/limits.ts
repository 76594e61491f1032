/** Limits and switches of the product that no organization changes. */

export const featureLevel = 420;
export const zulipVersion = "11.0";
export const zulipMergeBase = "11.0";

/** The number of the one organization of a fleet, in paths of files. */
export const realmId = 1;

/** All lengths count Unicode code points. */
export const limits = {
  messageLength: 10_000,
  topicLength: 60,
  /** Channels that one person may create in a day, administrators aside: everybody's clients are told of each. */
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
  /** Saved snippets of one user, all of which one reply holds. */
  savedSnippets: 100,
  /** What a bot may keep for itself: entries, bytes of all of them, of a name and of a value. */
  botStorageEntries: 1000,
  botStorageBytes: 1_000_000,
  botStorageNameBytes: 1000,
  botStorageValueBytes: 200_000,
  alertWordLength: 100,
  passwordMin: 6,
  passwordMax: 100,
  passwordMinGuesses: 10_000,
  /** Bytes of a file that go through a function, either way: Lambda carries 6 MB, of base64. Larger ones go by links. */
  straightFile: 4_400_000,
  /** The same in whole MiB, as clients are told. */
  fileUploadMib: 4,
  /** A file that is sent by a presigned link. */
  presignedUploadMib: 100,
  /** Pictures of people, emoji and the organization: what is announced in whole MiB must go through a function. */
  pictureMib: 4,
  /** Files that one message may hold: each is part of its transaction. */
  filesPerMessage: 20,
  bulkNewSubscriptionMessages: 100,
  messagesPerFetch: 5000,
  /** One transaction holds a pointer for each participant. */
  directMessageParticipants: 80,
  /** Bytes of a request's body: Lambda takes 6 MB of event, and forms arrive in base64. */
  requestBody: 4_450_000,
  /** Invitations by mail in 24 hours of the clock: nobody mails the world in this server's name. */
  invitationsPerDay: 100,
  /** Entries of a list parameter that names no limit of its own. */
  listLength: 20_000,
} as const;

/** The domain of addresses that stand for hidden ones, and of bots'; no mail ever goes there (RFC 6761). */
export const placeholderDomain = "skein.invalid";

/** How long the log keeps an event, in seconds: longer than an event queue may live. */
export const eventRetentionSeconds = 8 * 86_400;

/** How long `GET /events` waits before it answers with a heartbeat: API Gateway gives up after 30 s. */
export const eventHoldSeconds = 24;

/** How long `GET /events` waits in a fleet whose wake-up route was never seen to work. */
export const unprovedHoldSeconds = 10;

/** After so many seconds a file that no message links is removed: four weeks. */
export const unclaimedFileSeconds = 28 * 86_400;

/** For so many seconds a mailed link proves an address, or lets somebody choose a password: a day. */
export const linkLastsSeconds = 86_400;

/** A scheduled message that is later than this many seconds is marked failed instead of sent. */
export const scheduledMessageGraceSeconds = 600;

/** What an account may call in a window of so many seconds. */
export interface RateLimits {
  calls: number;
  seconds: number;
}

export const defaultRateLimits = "200/60";

/** Reads "200/60", calls per seconds; undefined for "off". */
export function rateLimitsIn(text: string): RateLimits | undefined {
  if (text === "off") return undefined;
  const [, calls, seconds] = /^([1-9]\d{0,6})\/([1-9]\d{0,4})$/.exec(text) ?? [];
  if (!calls || !seconds) throw new Error('SKEIN_RATE_LIMITS must be "off", or calls per seconds such as "200/60"');
  return { calls: Number(calls), seconds: Number(seconds) };
}

let readLimits: { text: string; limits: RateLimits | undefined } | undefined;

/** How many requests an account may make; undefined: any number. */
export function rateLimits(): RateLimits | undefined {
  const text = process.env.SKEIN_RATE_LIMITS || defaultRateLimits;
  if (readLimits?.text !== text) readLimits = { text, limits: rateLimitsIn(text) };
  return readLimits.limits;
}

/** Whether this is a one-machine development server, where `dev_fetch_api_key` works; set by that host alone. */
export const isDevelopmentServer = () => process.env.SKEIN_DEVELOPMENT === "true";

/** Whether channels may be opened to visitors without an account, where the organization lets spectators in. */
export const webPublicChannelsEnabled = () => process.env.SKEIN_WEB_PUBLIC_CHANNELS !== "false";

/** CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE: whether presence too is limited to users whom the caller can access. */
export const presenceLimited = () => process.env.SKEIN_LIMIT_PRESENCE === "true";

/**
 * The prefix of wake-up queues' URLs, before the ID of the event queue; undefined in a fleet without wake-up queues, where
 * `GET /events` itself waits.
 */
export const wakeUpQueuesUrl = () => process.env.BELLS_URL || undefined;

/** Where the API is reached from outside, without a path. */
export const ownUrl = () => process.env.SKEIN_URL ?? "";

/**
 * Where a link to this server leads that is made for a request to `askedAt`. The one-machine host answers only to names that
 * its operator has listed; elsewhere what a request calls the server is no matter of the request.
 */
export const linkUrl = (askedAt: string) => (isDevelopmentServer() ? askedAt : ownUrl() || askedAt);

/** Where browsers send and fetch large files by links: the bucket's own origin; undefined where there is no bucket. */
export function filesOrigin(): string | undefined {
  const { FILES_BUCKET: bucket, AWS_REGION: region, AWS_ENDPOINT_URL_S3: endpoint } = process.env;
  if (!bucket) return undefined;
  return endpoint ? new URL(endpoint).origin : `https://${bucket}.s3.${region}.amazonaws.com`;
}

/** Whether e-mail leaves the fleet: its operator has named an address to send from. */
export const mailIsSent = () => (process.env.MAIL_FROM ?? "") !== "";

/** The push bouncer's address; undefined where the operator has set none, and then there are no push notifications. */
export const pushBouncerUrl = () => process.env.SKEIN_PUSH_BOUNCER_URL || undefined;

/** What an operator may set up or leave out, and some workers are there for alone. */
export type Service = "push" | "mail";
