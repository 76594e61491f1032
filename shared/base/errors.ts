/** The error catalogue: every error that a caller may see, with its code, status and extra fields. */

interface ErrorDeclaration {
  status: number;
  /** Fields that every such reply has in addition to `result`, `msg` and `code`. */
  fields?: readonly string[];
  /** Fields that only some of these replies have. */
  sometimes?: readonly string[];
}

/**
 * The errors by name: the code and, for a code with several statuses, the unusual ones. An endpoint declares by these names
 * the errors that it can return beyond those that follow from the rest of its declaration.
 */
export const errorCatalogue = {
  BAD_REQUEST: { status: 400, sometimes: ["parameters", "errors"] },
  /** An object whose ID is part of the path, and that does not exist or belongs to another user. */
  "BAD_REQUEST 404": { status: 404 },
  "BAD_REQUEST 406": { status: 406 },
  /** Another object has the name, address or identifier. */
  "BAD_REQUEST 409": { status: 409 },
  "BAD_REQUEST 413": { status: 413 },
  NOT_FOUND: { status: 404 },
  METHOD_NOT_ALLOWED: { status: 405, fields: ["allowed_methods"] },
  NONEXISTENT_SUBDOMAIN: { status: 404 },
  UNAUTHORIZED: { status: 401 },
  AUTHENTICATION_FAILED: { status: 401 },
  USER_DEACTIVATED: { status: 401 },
  REALM_DEACTIVATED: { status: 401 },
  PASSWORD_AUTH_DISABLED: { status: 401 },
  /** The password is right, and a code is needed too. */
  SECOND_FACTOR_REQUIRED: { status: 401, fields: ["second_factor_token"] },
  /** The password is right, and a second factor must be set up now. */
  SECOND_FACTOR_NOT_SET_UP: { status: 401, fields: ["second_factor_token", "secret", "otpauth_url"] },
  RATE_LIMIT_HIT: { status: 429, fields: ["retry-after"] },
  REQUEST_VARIABLE_MISSING: { status: 400, fields: ["var_name"] },
  REQUEST_VARIABLE_INVALID: { status: 400, fields: ["var_name", "bad_value"] },
  BAD_NARROW: { status: 400, fields: ["desc"] },
  BAD_EVENT_QUEUE_ID: { status: 400, fields: ["queue_id"] },
  STREAM_DOES_NOT_EXIST: { status: 400, sometimes: ["stream_id", "stream"] },
  CHANNEL_ALREADY_EXISTS: { status: 409 },
  STREAM_WILDCARD_MENTION_NOT_ALLOWED: { status: 400 },
  TOPIC_WILDCARD_MENTION_NOT_ALLOWED: { status: 400 },
  UNAUTHORIZED_PRINCIPAL: { status: 400 },
  EXPECTATION_MISMATCH: { status: 400 },
  MOVE_MESSAGES_TIME_LIMIT_EXCEEDED: {
    status: 400,
    fields: ["first_message_id_allowed_to_move", "total_messages_in_topic", "total_messages_allowed_to_move"],
  },
  SYSTEM_GROUP_REQUIRED: { status: 400, fields: ["setting_name"] },
  CANNOT_DEACTIVATE_GROUP_IN_USE: { status: 400, fields: ["objections"] },
  INVITATION_FAILED: {
    status: 400,
    fields: ["errors", "sent_invitations", "license_limit_reached", "daily_limit_reached"],
  },
  CANNOT_DEACTIVATE_LAST_USER: { status: 400, fields: ["is_last_owner", "entity"] },
  REACTION_DOES_NOT_EXIST: { status: 400 },
  REACTION_ALREADY_EXISTS: { status: 400 },
  PUSH_SERVICE_NOT_CONFIGURED: { status: 400 },
  INVALID_PUSH_DEVICE_TOKEN: { status: 400 },
  INVALID_REMOTE_PUSH_DEVICE_TOKEN: { status: 400 },
  NO_ACTIVE_PUSH_DEVICE: { status: 400 },
  FAILED_TO_CONNECT_BOUNCER: { status: 502 },
  INTERNAL_SERVER_ERROR_ON_BOUNCER: { status: 502 },
  ADMIN_ACTION_REQUIRED: { status: 403 },
  INTERNAL_SERVER_ERROR: { status: 500 },
  SERVICE_UNAVAILABLE: { status: 503 },
  REQUEST_TIMED_OUT: { status: 503 },
} as const satisfies Record<string, ErrorDeclaration>;

export type ErrorName = keyof typeof errorCatalogue;

export function declarationOf(name: ErrorName): Required<ErrorDeclaration> & { code: string } {
  const [code = name] = name.split(" ");
  return { code, fields: [], sometimes: [], ...errorCatalogue[name] };
}

/** An error that a caller may see. Anything else that is thrown becomes a 500 without detail. */
export class ApiError extends Error {
  override name = "ApiError";
  readonly code: string;
  readonly status: number;
  readonly extra: Record<string, unknown>;
  readonly headers: Record<string, string>;

  constructor(
    name: ErrorName,
    msg: string,
    { headers = {}, ...extra }: { headers?: Record<string, string>; [field: string]: unknown } = {},
  ) {
    super(msg);
    const { code, status } = declarationOf(name);
    this.code = code;
    this.status = status;
    this.headers = headers;
    this.extra = extra;
  }
}

export const badRequest = (msg: string) => new ApiError("BAD_REQUEST", msg);

export const insufficientPermission = () => badRequest("Insufficient permission");

/** The reply to a client for an unexpected error, without detail. */
export const internalError = () => new ApiError("INTERNAL_SERVER_ERROR", "Internal server error");

/** A `Retry-After` of one to three seconds, at random, so that clients that were refused together do not return together. */
const retrySoon = () => ({ headers: { "retry-after": String(1 + Math.floor(3 * Math.random())) } });

/** An AWS service throttles, does not answer, or conflicts with other requests' calls for longer than retries help. */
export const serviceUnavailable = () =>
  new ApiError("SERVICE_UNAVAILABLE", "The server is too busy at the moment. Try again.", retrySoon());

export const requestTimedOut = () =>
  new ApiError("REQUEST_TIMED_OUT", "The request took too long. Request less data, or try again.", retrySoon());

/** An object with its ID in the path that does not exist or belongs to another user: 404 with the code BAD_REQUEST. */
export const notFound = (msg: string) => new ApiError("BAD_REQUEST 404", msg);

export const pathNotFound = () => new ApiError("NOT_FOUND", "Not found");

export const methodNotAllowed = (allowed: string[]) =>
  new ApiError("METHOD_NOT_ALLOWED", "Method Not Allowed", {
    allowed_methods: allowed,
    headers: { allow: allowed.join(", ") },
  });

export const malformedForm = () => badRequest("The request body is not valid multipart/form-data.");

export const bodyTooLarge = () => new ApiError("BAD_REQUEST 413", "The request body is too large.");

/** DynamoDB limits an item to 400 KB, and all entries of a short list share one item. */
export const tooLongToStore = () => badRequest("The list is too large to be stored: shorten an entry or remove one.");

/** The reply would fit if it were compressed, but the client refuses gzip. */
export const replyNeedsGzip = () =>
  new ApiError(
    "BAD_REQUEST 406",
    "The reply is too large to be sent without gzip: allow gzip by 'Accept-Encoding', or request less data.",
  );

export const replyTooLong = () => new ApiError("BAD_REQUEST", "The reply is too large to be sent: request less data.");

const challenge = { "www-authenticate": 'Basic realm="zulip"' };

export const unauthorized = (msg = "Not logged in: API authentication or user session required") =>
  new ApiError("UNAUTHORIZED", msg, { headers: challenge });

/** The request has not the SCIM client's token. */
export const unauthorizedScimClient = () =>
  new ApiError("UNAUTHORIZED", "The SCIM client's token is missing or wrong", {
    headers: { "www-authenticate": 'Bearer realm="scim"' },
  });

/** A session has reached the age or idleness that the organization allows. Clients show the text when they sign out. */
export const sessionEnded = () =>
  unauthorized("Your organization limits how long people stay signed in: sign in again");

export const accountDeactivated = () => unauthorized("Account is deactivated");

export const authenticationFailed = () =>
  new ApiError("AUTHENTICATION_FAILED", "Your username or password is incorrect");

export const realmDeactivated = () => new ApiError("REALM_DEACTIVATED", "This organization has been deactivated");
export const userDeactivated = () => new ApiError("USER_DEACTIVATED", "Account is deactivated");

export const passwordAuthDisabled = () =>
  new ApiError("PASSWORD_AUTH_DISABLED", "Password authentication is disabled in this organization");

export const rateLimitHit = (retryAfterSeconds: number) =>
  new ApiError("RATE_LIMIT_HIT", "API usage exceeded rate limit", {
    "retry-after": retryAfterSeconds,
    headers: { "retry-after": String(Math.ceil(retryAfterSeconds)) },
  });

/** Somebody has created as much of a kind as they may in a day. */
export const dailyLimitHit = (limit: number, what: string, retryAfterSeconds: number) =>
  new ApiError("RATE_LIMIT_HIT", `You can create at most ${limit} ${what} a day.`, {
    "retry-after": retryAfterSeconds,
    headers: { "retry-after": String(Math.ceil(retryAfterSeconds)) },
  });

export const missingParameter = (name: string) =>
  new ApiError("REQUEST_VARIABLE_MISSING", `Missing '${name}' argument`, { var_name: name });

export const invalidParameterValue = (name: string, value: unknown) =>
  new ApiError("REQUEST_VARIABLE_INVALID", `Bad value for '${name}': ${value}`, { var_name: name, bad_value: value });

export const unsupportedCombination = (names: string[]) =>
  new ApiError("BAD_REQUEST", `Unsupported parameter combination: ${names.join(", ")}`, {
    parameters: names.join(", "),
  });

export const badNarrow = (desc: string) => new ApiError("BAD_NARROW", `Invalid narrow operator: ${desc}`, { desc });

export const streamDoesNotExist = (channel: number | string) =>
  typeof channel === "number"
    ? new ApiError("STREAM_DOES_NOT_EXIST", `Channel with ID '${channel}' does not exist`, { stream_id: channel })
    : new ApiError("STREAM_DOES_NOT_EXIST", `Channel '${channel}' does not exist`, { stream: channel });

export const channelAlreadyExists = (name: string) =>
  new ApiError("CHANNEL_ALREADY_EXISTS", `Channel '${name}' already exists`);

/** The caller's role is too low: "Must be an organization administrator" (or "owner", "member"). */
export const unauthorizedPrincipal = (role: "administrator" | "owner" | "member") =>
  new ApiError("UNAUTHORIZED_PRINCIPAL", `Must be an organization ${role}`);

export const expectationMismatch = (name = "old") =>
  new ApiError("EXPECTATION_MISMATCH", `'${name}' value does not match the expected value.`);

/** A move with `change_all` of a topic in which some messages are too old for the caller to move. */
export const moveTimeLimitExceeded = (firstAllowed: number | null, total: number, allowed: number) =>
  new ApiError(
    "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED",
    `You only have permission to move the ${allowed}/${total} most recent messages in this topic.`,
    {
      first_message_id_allowed_to_move: firstAllowed,
      total_messages_in_topic: total,
      total_messages_allowed_to_move: allowed,
    },
  );

export const systemGroupRequired = (name: string) =>
  new ApiError("SYSTEM_GROUP_REQUIRED", `'${name}' must be a system user group.`, { setting_name: name });

export const cannotDeactivateLastUser = (isLastOwner: boolean) => {
  const entity = isLastOwner ? "organization owner" : "user";
  return new ApiError("CANNOT_DEACTIVATE_LAST_USER", `You cannot deactivate the only ${entity}.`, {
    is_last_owner: isLastOwner,
    entity,
  });
};

/** An address that was not invited, the reason, and whether it belongs to a deactivated account. */
export type NotInvited = [email: string, reason: string, deactivated: boolean];

export const invitationFailed = (
  msg: string,
  {
    errors = [],
    sent = false,
    limitReached = false,
  }: { errors?: NotInvited[]; sent?: boolean; limitReached?: boolean },
) =>
  new ApiError("INVITATION_FAILED", msg, {
    errors,
    sent_invitations: sent,
    license_limit_reached: false,
    daily_limit_reached: limitReached,
  });

export const reactionDoesNotExist = () => new ApiError("REACTION_DOES_NOT_EXIST", "Reaction doesn't exist.");

export const reactionAlreadyExists = () => new ApiError("REACTION_ALREADY_EXISTS", "Reaction already exists.");

export const pushServiceNotConfigured = () =>
  new ApiError("PUSH_SERVICE_NOT_CONFIGURED", "Server is not configured to use push notification service.");

export const invalidPushDeviceToken = () => new ApiError("INVALID_PUSH_DEVICE_TOKEN", "Device not recognized");

export const invalidRemotePushDeviceToken = () =>
  new ApiError("INVALID_REMOTE_PUSH_DEVICE_TOKEN", "Device not recognized by the push bouncer");

export const noActivePushDevice = () => new ApiError("NO_ACTIVE_PUSH_DEVICE", "No active registered push device");

export const failedToConnectBouncer = () =>
  new ApiError("FAILED_TO_CONNECT_BOUNCER", "Failed to connect to the push bouncer");

export const internalServerErrorOnBouncer = () =>
  new ApiError("INTERNAL_SERVER_ERROR_ON_BOUNCER", "Internal server error on the push bouncer");

/** The bouncer refuses this server itself, which only the server's operator can fix. */
export const adminActionRequired = (reason: string) =>
  new ApiError("ADMIN_ACTION_REQUIRED", `The push bouncer rejects this server: ${reason}`);
