import {
  defaultAuditLogDays,
  defaultRateLimits,
  featureLevel,
  parseRateLimits,
  type RateLimits,
  servedLevels,
} from "./limits.ts";

/** What the environment says, read at each call, so that importing a module needs no environment. */

/** A variable that the `uses` of a function's declaration set. */
export function declaredVariable(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: the declaration of the function must use what it names`);
  return value;
}

/** Whether the function uses the table. */
export const usesTable = () => Boolean(process.env.TABLE_NAME);

/** The fleet whose metrics CloudWatch counts; undefined on other hosts. */
export const fleetName = () => process.env.SKEIN_FLEET || undefined;

/** The addresses of the own network that outgoing webhooks may reach. */
export const outgoingExceptions = () => process.env.SKEIN_OUTGOING_ALLOW ?? "";

/** The sender address of e-mail; empty if the operator has configured none, so that no e-mail is sent. */
export const mailFrom = () => process.env.MAIL_FROM ?? "";

/** The configuration set of SES that reports what becomes of the fleet's mails; undefined where there is none. */
export const mailConfigurationSet = () => process.env.MAIL_CONFIGURATION_SET || undefined;

/** The domain at which the fleet receives e-mail; empty if the operator has set none, so that it receives none. */
export const mailDomain = () => process.env.MAIL_DOMAIN ?? "";

/** The name by which the server that receives e-mail for the fleet signs its verdict on senders (RFC 8601); empty: none is believed. */
export const mailVerdictsBy = () => process.env.MAIL_VERDICTS_BY ?? "";

/** The feature level that clients are told. Throws for one that is not served. */
export const advertisedLevel = (): number => parseFeatureLevel(process.env.SKEIN_FEATURE_LEVEL || String(featureLevel));

export function parseFeatureLevel(text: string): number {
  const level = servedLevels.find((served) => String(served) === text);
  if (level === undefined) throw new Error(`SKEIN_FEATURE_LEVEL must be ${servedLevels.join(" or ")}`);
  return level;
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

/** For how many days the audit log keeps a record. Throws for a number that is not allowed. */
export const auditLogDays = (): number =>
  parseAuditLogDays(process.env.SKEIN_AUDIT_LOG_DAYS || `${defaultAuditLogDays}`);

export function parseAuditLogDays(text: string): number {
  const days = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (days < 1 || days > 3660) throw new Error("SKEIN_AUDIT_LOG_DAYS must be an integer from 1 to 3660");
  return days;
}

/** Whether channels may be web-public, if the organization allows spectators. */
export const webPublicChannelsEnabled = () => process.env.SKEIN_WEB_PUBLIC_CHANNELS !== "false";

/** Zulip's CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE: whether callers see the presence only of users whom they can access. */
export const isPresenceLimited = () => process.env.SKEIN_LIMIT_PRESENCE === "true";

/**
 * The prefix of wake-up queues' URLs, before the ID of the event queue; undefined in a fleet without wake-up queues, where
 * `GET /events` itself waits.
 */
export const wakeUpQueuesUrl = () => process.env.WAKE_UP_QUEUES_URL || undefined;

/**
 * The address of the fleet's WebSocket API, such as wss://….amazonaws.com/live; undefined on one machine, where the host itself
 * serves it.
 */
export const connectionsUrl = () => process.env.CONNECTIONS_URL || undefined;

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

export const isMailEnabled = () => mailFrom() !== "";

/** The identity providers as a JSON list; empty: people sign in by password alone. */
export const identityProvidersText = () => process.env.SKEIN_OIDC ?? "";

/**
 * The token of the organization's SCIM client (docs/single-sign-on.md), and on AWS the ARN of the secret that contains it; undefined:
 * the operator has set none.
 */
export const scimTokenText = () => process.env.SKEIN_SCIM_TOKEN || undefined;
export const scimTokenArn = () => process.env.SKEIN_SCIM_TOKEN_ARN || undefined;

/** The push bouncer's URL; undefined if the operator has set none, which disables push notifications. */
export const pushBouncerUrl = () => process.env.SKEIN_PUSH_BOUNCER_URL || undefined;
