import { pushBouncerUrl } from "../../base/environment.ts";
import {
  type ApiError,
  adminActionRequired,
  failedToConnectBouncer,
  internalServerErrorOnBouncer,
  invalidRemotePushDeviceToken,
  pushServiceNotConfigured,
} from "../../base/errors.ts";
import { parseJson } from "../../base/schema/text.ts";

/** Requests to the push bouncer, whose URL the operator configures. See docs/operating.md. */

const timeoutMs = 10_000;

export class BouncerError extends Error {
  override name = "BouncerError";
  /** "refused" concerns the request's content; "disallowed" this server as a whole. */
  readonly problem: "unreachable" | "serverError" | "disallowed" | "refused";
  /** The bouncer's error code, for "refused" and "disallowed". */
  readonly code: string;
  constructor(problem: BouncerError["problem"], message: string, code = "") {
    super(message);
    this.problem = problem;
    this.code = code;
  }
}

/** The bouncer's URL; throws PUSH_SERVICE_NOT_CONFIGURED without one. */
export function accessBouncer(): URL {
  const url = pushBouncerUrl();
  if (!url) throw pushServiceNotConfigured();
  return new URL(url);
}

type Body = { form: Record<string, string | number> } | { json: unknown };

/** Posts to the bouncer's endpoint `path` and returns the fields of its response; throws BouncerError. */
export async function postToBouncer(path: string, body: Body): Promise<Record<string, unknown>> {
  const { origin, pathname, username, password } = accessBouncer();
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  let status: number;
  let text: string;
  try {
    const reply = await fetch(`${origin}${pathname.replace(/\/$/, "")}/api/v1/remotes/${path}`, {
      method: "POST",
      headers: {
        "content-type": "json" in body ? "application/json" : "application/x-www-form-urlencoded",
        ...(username !== "" && { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` }),
      },
      body: "json" in body ? JSON.stringify(body.json) : encodeForm(body.form),
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    status = reply.status;
    text = await reply.text();
  } catch (error) {
    throw new BouncerError("unreachable", `The bouncer could not be reached (${(error as Error).name})`);
  }
  const answer = objectIn(text);
  if (status >= 200 && status < 300 && answer) return answer;
  const message = String(answer?.msg ?? `status ${status}`);
  const code = String(answer?.code ?? "");
  if (status === 401 || status === 403 || /DISALLOWED|INVALID_ZULIP_SERVER|MISSING_REMOTE_REALM/.test(code))
    throw new BouncerError("disallowed", message, code);
  throw new BouncerError(status >= 400 && status < 500 && answer ? "refused" : "serverError", message, code);
}

const encodeForm = (form: Record<string, string | number>) =>
  new URLSearchParams(Object.entries(form).map(([name, value]): [string, string] => [name, String(value)])).toString();

function objectIn(text: string): Record<string, unknown> | undefined {
  const value = parseJson(text);
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
}

/** Converts a bouncer error for a client that waits for the result. */
export function toClientError({ problem, code, message }: BouncerError): ApiError {
  if (problem === "unreachable") return failedToConnectBouncer();
  if (problem === "serverError") return internalServerErrorOnBouncer();
  if (code === "INVALID_REMOTE_PUSH_DEVICE_TOKEN") return invalidRemotePushDeviceToken();
  return adminActionRequired(message);
}
