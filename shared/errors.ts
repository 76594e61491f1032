/** The error catalogue: every error that a caller may see, with its code, status and extra fields (specification, part 7). */

/** An error that a caller may see. Anything else that is thrown becomes a 500 without detail. */
export class ApiError extends Error {
  override name = "ApiError";
  readonly code: string;
  readonly status: number;
  readonly extra: Record<string, unknown>;
  readonly headers: Record<string, string>;

  constructor(
    code: string,
    msg: string,
    {
      status = 400,
      headers = {},
      ...extra
    }: { status?: number; headers?: Record<string, string>; [field: string]: unknown } = {},
  ) {
    super(msg);
    this.code = code;
    this.status = status;
    this.headers = headers;
    this.extra = extra;
  }
}

export const badRequest = (msg: string) => new ApiError("BAD_REQUEST", msg);

/** A thing with an ID of its own in the path that is absent or another's: 404, code BAD_REQUEST. */
export const notFound = (msg: string) => new ApiError("BAD_REQUEST", msg, { status: 404 });

export const pathNotFound = () => new ApiError("NOT_FOUND", "Not found", { status: 404 });

export const methodNotAllowed = (allowed: string[]) =>
  new ApiError("METHOD_NOT_ALLOWED", "Method Not Allowed", {
    status: 405,
    allowed_methods: allowed,
    headers: { allow: allowed.join(", ") },
  });

export const bodyTooLarge = () => new ApiError("BAD_REQUEST", "The request body is too large.", { status: 413 });

/** What would fit into a reply if it were packed, for a client that refuses gzip. */
export const replyNeedsGzip = () =>
  new ApiError(
    "BAD_REQUEST",
    "The reply is too long to be sent without gzip: allow it by 'Accept-Encoding', or ask for less.",
    { status: 406 },
  );

export const replyTooLong = () => new ApiError("BAD_REQUEST", "The reply is too long to be sent: ask for less.");

const challenge = { "www-authenticate": 'Basic realm="zulip"' };

export const unauthorized = (msg = "Not logged in: API authentication or user session required") =>
  new ApiError("UNAUTHORIZED", msg, { status: 401, headers: challenge });

export const authenticationFailed = () =>
  new ApiError("AUTHENTICATION_FAILED", "Your username or password is incorrect", { status: 401 });

export const userDeactivated = () => new ApiError("USER_DEACTIVATED", "Account is deactivated", { status: 401 });

export const passwordAuthDisabled = () =>
  new ApiError("PASSWORD_AUTH_DISABLED", "Password authentication is disabled in this organization", { status: 401 });

export const rateLimitHit = (retryAfterSeconds: number) =>
  new ApiError("RATE_LIMIT_HIT", "API usage exceeded rate limit", {
    status: 429,
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
  new ApiError("CHANNEL_ALREADY_EXISTS", `Channel '${name}' already exists`, { status: 409 });

/** The caller's role is too low: "Must be an organization administrator" (or "owner", "member"). */
export const unauthorizedPrincipal = (role: "administrator" | "owner" | "member") =>
  new ApiError("UNAUTHORIZED_PRINCIPAL", `Must be an organization ${role}`);

export const expectationMismatch = (name = "old") =>
  new ApiError("EXPECTATION_MISMATCH", `'${name}' value does not match the expected value.`);

/** `change_all` on a topic of which some messages are too old for the caller to move. */
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

export const reactionDoesNotExist = () => new ApiError("REACTION_DOES_NOT_EXIST", "Reaction doesn't exist.");

export const reactionAlreadyExists = () => new ApiError("REACTION_ALREADY_EXISTS", "Reaction already exists.");

export const pushServiceNotConfigured = () =>
  new ApiError("PUSH_SERVICE_NOT_CONFIGURED", "Server is not configured to use push notification service.");

export const invalidPushDeviceToken = () => new ApiError("INVALID_PUSH_DEVICE_TOKEN", "Device not recognized");

export const invalidRemotePushDeviceToken = () =>
  new ApiError("INVALID_REMOTE_PUSH_DEVICE_TOKEN", "Device not recognized by the push bouncer");

export const noActivePushDevice = () => new ApiError("NO_ACTIVE_PUSH_DEVICE", "No active registered push device");

export const failedToConnectBouncer = () =>
  new ApiError("FAILED_TO_CONNECT_BOUNCER", "Failed to connect to the push bouncer", { status: 502 });

export const internalServerErrorOnBouncer = () =>
  new ApiError("INTERNAL_SERVER_ERROR_ON_BOUNCER", "Internal server error on the push bouncer", { status: 502 });

/** The bouncer refuses this server as such: only its operator can mend that. */
export const adminActionRequired = (reason: string) =>
  new ApiError("ADMIN_ACTION_REQUIRED", `The push bouncer refuses this server: ${reason}`, { status: 403 });
