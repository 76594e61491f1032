import { t } from "../languages/language.ts";
import type { Call, CallOptions, Endpoint, ErrorBody, Reply } from "./calls.ts";

/** A call that the server refused (`code` is its error code) or did not answer (`code` is "NETWORK" and `status` 0). */
export class ApiFailure extends Error {
  override name = "ApiFailure";
  readonly code: string;
  readonly status: number;
  /** How long to wait before a retry, if the server says so. */
  readonly retryAfterSeconds: number | undefined;
  /** The whole body of the error reply. */
  readonly details: Readonly<Record<string, unknown>>;
  constructor(code: string, message: string, status = 0, retryAfterSeconds?: number, details: object = {}) {
    super(message);
    this.code = code;
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
    this.details = { ...details };
  }
}

export interface Credentials {
  email: string;
  apiKey: string;
}

/** The value of an Authorization header. `btoa` accepts only bytes, so addresses outside ASCII are encoded as UTF-8 first. */
export const authorizationOf = ({ email, apiKey }: Credentials) =>
  `Basic ${btoa(String.fromCodePoint(...new TextEncoder().encode(`${email}:${apiKey}`)))}`;

/** The error codes that mean that the API key no longer works, for any call. */
const invalidKeyCodes = new Set(["UNAUTHORIZED", "USER_DEACTIVATED", "REALM_DEACTIVATED"]);

/** Whether an error means that the API key no longer works. */
export const isInvalidKeyError = (error: unknown): error is ApiFailure =>
  error instanceof ApiFailure && invalidKeyCodes.has(error.code);

/** Called when the server refuses a key. If it returns other credentials, they are used for a retry and for later calls. */
type OnRefused = (refusal: ApiFailure, refused: Credentials) => Promise<Credentials | undefined>;

/**
 * The URL and the body of a call. A parameter that the path names goes there, any other into the query or the form: strings
 * unchanged, anything else as JSON.
 */
function requestOf(endpoint: Endpoint, params: object, file?: Blob) {
  const [method = "", template = ""] = endpoint.split(" ");
  const fields = new Map<string, unknown>(Object.entries(params));
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name) => {
    const value = fields.get(name);
    fields.delete(name);
    return encodeURIComponent(String(value));
  });
  const form = file ? new FormData() : new URLSearchParams();
  for (const [name, value] of fields)
    if (value !== undefined) form.set(name, typeof value === "string" ? value : JSON.stringify(value));
  if (form instanceof FormData && file) form.set("file", file);
  const url = `/api/v1${path}`;
  return method === "GET" ? { method, url: `${url}?${form}` } : { method, url, body: form };
}

/** Rethrows a cancellation; any other failure of a request means that the server was not reached. */
function throwUnreached(error: unknown): never {
  if (error instanceof DOMException && error.name === "AbortError") throw error;
  throw new ApiFailure("NETWORK", t("The server cannot be reached."));
}

/** Sends a request, and returns the body of a successful reply; throws ApiFailure for any other. */
async function send<T>(url: string, request: RequestInit, sender: Credentials | undefined): Promise<T> {
  const headers = sender ? { authorization: authorizationOf(sender) } : {};
  const reply = await fetch(url, { ...request, headers }).catch(throwUnreached);
  if (!reply.ok) throw failureOf((await reply.json().catch(() => undefined)) ?? {}, reply);
  return reply.json().catch(throwUnreached);
}

/**
 * A function that calls this page's own server, for example `call("DELETE /drafts/{draft_id}", { draft_id: 3 })`; without
 * credentials only public endpoints work. All calls are cancelled when `end` is aborted.
 */
export function connect(credentials?: Credentials, onRefused?: OnRefused, end?: AbortSignal): Call {
  let current = credentials;
  return async (endpoint, ...args) => {
    const [params = {}, { file, signal } = {}] = args as [object?, CallOptions?];
    const { url, ...request } = requestOf(endpoint, params, file);
    const sendAs = async (sender: Credentials | undefined) =>
      send<Reply<typeof endpoint>>(url, { ...request, signal: ended }, sender);
    const usedCredentials = current;
    const ended = signal && end ? AbortSignal.any([signal, end]) : (signal ?? end ?? null);
    try {
      return await sendAs(usedCredentials);
    } catch (error) {
      const replacement =
        usedCredentials && isInvalidKeyError(error) ? await onRefused?.(error, usedCredentials) : undefined;
      if (!replacement) throw error;
      current = replacement;
      return sendAs(replacement);
    }
  };
}

const failureOf = (body: Partial<ErrorBody>, { status, headers }: Response) =>
  new ApiFailure(
    body.code ?? "UNKNOWN",
    body.msg ?? t("The server answered {status}.", { status }),
    status,
    body["retry-after"] ?? (Number(headers.get("retry-after")) || undefined),
    body,
  );
