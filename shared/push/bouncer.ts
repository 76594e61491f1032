import {
  type ApiError,
  adminActionRequired,
  failedToConnectBouncer,
  internalServerErrorOnBouncer,
  invalidRemotePushDeviceToken,
  pushServiceNotConfigured,
} from "../errors.ts";
import { pushBouncerUrl } from "../settings.ts";

/** Requests to the push bouncer, whose address the operator sets (decision 19). */

const deadlineMs = 10_000;

/** Why the bouncer did not do what it was asked. */
export class BouncerError extends Error {
  override name = "BouncerError";
  /** "refused" is an answer about what was asked; "disallowed" one about this server. */
  readonly problem: "unreachable" | "serverError" | "disallowed" | "refused";
  /** The error's code, for "refused" and "disallowed". */
  readonly code: string;
  constructor(problem: BouncerError["problem"], message: string, code = "") {
    super(message);
    this.problem = problem;
    this.code = code;
  }
}

/** The address, or PUSH_SERVICE_NOT_CONFIGURED. */
export function accessBouncer(): URL {
  const address = pushBouncerUrl();
  if (!address) throw pushServiceNotConfigured();
  return new URL(address);
}

type Body = { form: Record<string, string | number> } | { json: unknown };

/** Posts to the bouncer's endpoint `path` and returns its answer's fields; throws BouncerError. */
export async function askBouncer(path: string, body: Body): Promise<Record<string, unknown>> {
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
      body: "json" in body ? JSON.stringify(body.json) : encoded(body.form),
      redirect: "manual",
      signal: AbortSignal.timeout(deadlineMs),
    });
    status = reply.status;
    text = await reply.text();
  } catch (error) {
    throw new BouncerError("unreachable", `The bouncer could not be reached (${(error as Error).name})`);
  }
  const answer = parsed(text);
  if (status >= 200 && status < 300 && answer) return answer;
  const said = String(answer?.msg ?? `status ${status}`);
  const code = String(answer?.code ?? "");
  if (status === 401 || status === 403 || /DISALLOWED|INVALID_ZULIP_SERVER|MISSING_REMOTE_REALM/.test(code))
    throw new BouncerError("disallowed", said, code);
  throw new BouncerError(status >= 400 && status < 500 && answer ? "refused" : "serverError", said, code);
}

const encoded = (form: Record<string, string | number>) =>
  new URLSearchParams(Object.entries(form).map(([name, value]): [string, string] => [name, String(value)])).toString();

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** The bouncer's error as a client that waits for it is told. */
export function toldToClient({ problem, code, message }: BouncerError): ApiError {
  if (problem === "unreachable") return failedToConnectBouncer();
  if (problem === "serverError") return internalServerErrorOnBouncer();
  if (code === "INVALID_REMOTE_PUSH_DEVICE_TOKEN") return invalidRemotePushDeviceToken();
  return adminActionRequired(message);
}
