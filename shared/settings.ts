/** Limits and switches of the product that no organization changes. */

export const featureLevel = 420;
export const zulipVersion = "12.0";
export const zulipMergeBase = "12.0";

/** The number of the one organization of a fleet, in paths of files. */
export const realmId = 1;

/** All lengths count Unicode code points. */
export const limits = {
  messageLength: 10_000,
  topicLength: 60,
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
  alertWordLength: 100,
  passwordMin: 6,
  passwordMax: 100,
  passwordMinGuesses: 10_000,
  fileUploadMib: 100,
  /** Bytes of a file that go through a function, either way: Lambda carries 6 MB, of base64. Larger ones go by links. */
  straightFile: 4_400_000,
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
  /** Entries of a list parameter that names no limit of its own. */
  listLength: 20_000,
} as const;

/** The domain of addresses that stand for hidden ones, and of bots'; no mail ever goes there (RFC 6761). */
export const placeholderDomain = "skein.invalid";

/** How long the log keeps an event, in seconds: longer than an event queue may live. */
export const eventRetentionSeconds = 8 * 86_400;

/** How long `GET /events` waits before it answers with a heartbeat: API Gateway gives up after 30 s. */
export const eventHoldSeconds = 24;

/** After so many seconds a file that no message links is removed: four weeks. */
export const unclaimedFileSeconds = 28 * 86_400;

/** A scheduled message that is later than this many seconds is marked failed instead of sent. */
export const scheduledMessageGraceSeconds = 600;

/** Whether this is a one-machine development server, where `dev_fetch_api_key` works; set by that host alone. */
export const isDevelopmentServer = () => process.env.SKEIN_DEVELOPMENT === "true";

/** Whether channels may be opened to visitors without an account, where the organization lets spectators in. */
export const webPublicChannelsEnabled = () => process.env.SKEIN_WEB_PUBLIC_CHANNELS !== "false";

/** CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE: whether presence too is limited to users whom the caller can access. */
export const presenceLimited = () => process.env.SKEIN_LIMIT_PRESENCE === "true";

/**
 * What stands before a bell's name in its address; undefined where no bells are: there `GET /events` itself waits. The
 * name is the ID of the event queue.
 */
export const bellsUrl = () => process.env.BELLS_URL || undefined;

/** Where the API is reached from outside, without a path; for functions that no request tells it. */
export const ownUrl = () => process.env.SKEIN_URL ?? "";

/** Whether e-mail leaves the fleet: its operator has named an address to send from. */
export const mailIsSent = () => (process.env.MAIL_FROM ?? "") !== "";

/** The push bouncer's address; undefined where the operator has set none, and then there are no push notifications. */
export const pushBouncerUrl = () => process.env.SKEIN_PUSH_BOUNCER_URL || undefined;

/** What an operator may set up or leave out, and some workers are there for alone. */
export type Service = "push" | "mail";
