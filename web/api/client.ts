import createClient from "openapi-fetch";
import type { Endpoint, Input, Reply } from "./calls.ts";
import type { components, paths } from "./schema.ts";

/** The body of an error reply. */
export type ErrorBody = components["schemas"]["BAD_REQUEST"] & { code: string; "retry-after"?: number };

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
const basicAuthorization = ({ email, apiKey }: Credentials) =>
  `Basic ${btoa(String.fromCodePoint(...new TextEncoder().encode(`${email}:${apiKey}`)))}`;

/** Encodes a value of a form or query: strings unchanged, anything else as JSON. */
const encode = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));

/** Encodes fields as a form or query, without those that are undefined. */
export function formOf(fields: object): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.set(name, encode(value));
  return form;
}

/** The error codes that mean that the API key no longer works, for any call. */
const invalidKeyCodes = new Set(["UNAUTHORIZED", "USER_DEACTIVATED", "REALM_DEACTIVATED"]);

/** Whether an error means that the API key no longer works. */
export const isInvalidKeyError = (error: unknown): error is ApiFailure =>
  error instanceof ApiFailure && invalidKeyCodes.has(error.code);

/** Called when the server refuses a key. If it returns other credentials, they are used for a retry and for later calls. */
type OnRefused = (refusal: ApiFailure, refused: Credentials) => Promise<Credentials | undefined>;

interface CallOptions {
  /** A file to send with the parameters. */
  file?: Blob;
  signal?: AbortSignal;
}

/** The parameters may be left out if the endpoint requires none. */
type CallArguments<E extends Endpoint> =
  Partial<Input<E>> extends Input<E>
    ? [params?: Input<E>, options?: CallOptions]
    : [params: Input<E>, options?: CallOptions];

/** The URL and the body of a call. A parameter that the path names goes there, any other into the query or the body. */
function requestOf(endpoint: Endpoint, params: object, file?: Blob) {
  const [method = "", template = ""] = endpoint.split(" ");
  const fields = new Map(Object.entries(params));
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name) => {
    const value = encodeURIComponent(String(fields.get(name)));
    fields.delete(name);
    return value;
  });
  const form = formOf(Object.fromEntries(fields));
  if (method === "GET") return { method, url: `/api/v1${path}?${form}` };
  if (!file) return { method, url: `/api/v1${path}`, body: form };
  const body = new FormData();
  for (const [name, value] of form) body.set(name, value);
  body.set("file", file);
  return { method, url: `/api/v1${path}`, body };
}

/** Rethrows a cancellation; any other failure of a request means that the server was not reached. */
function throwUnreached(error: unknown): never {
  if (error instanceof DOMException && error.name === "AbortError") throw error;
  throw new ApiFailure("NETWORK", "The server cannot be reached.");
}

/** Sends a request, and returns the body of a successful reply; throws ApiFailure for any other. */
async function send<T>(url: string, request: RequestInit, sender: Credentials | undefined): Promise<T> {
  const headers = sender ? { authorization: basicAuthorization(sender) } : {};
  const reply = await fetch(url, { ...request, headers }).catch(throwUnreached);
  if (!reply.ok) throw failureOf(await bodyOf(reply), reply);
  return reply.json().catch(throwUnreached);
}

/** A typed client of this page's own server; without credentials only public endpoints work. */
export function connect(credentials?: Credentials, onRefused?: OnRefused) {
  let current = credentials;
  /** Calls an endpoint of the API, for example `call("DELETE /drafts/{draft_id}", { draft_id: 3 })`. */
  async function call<E extends Endpoint>(endpoint: E, ...args: CallArguments<E>): Promise<Reply<E>> {
    const [params = {}, { file, signal } = {}] = args as [object?, CallOptions?];
    const { url, ...request } = requestOf(endpoint, params, file);
    const sendAs = (sender: Credentials | undefined) =>
      send<Reply<E>>(url, { ...request, signal: signal ?? null }, sender);
    const usedCredentials = current;
    try {
      return await sendAs(usedCredentials);
    } catch (error) {
      const replacement =
        usedCredentials && isInvalidKeyError(error) ? await onRefused?.(error, usedCredentials) : undefined;
      if (!replacement) throw error;
      current = replacement;
      return sendAs(replacement);
    }
  }
  const sendRequest = (request: Request) => {
    if (current) request.headers.set("authorization", basicAuthorization(current));
    if (!(request.headers.get("content-type") ?? "").startsWith("multipart/"))
      request.headers.set("content-type", "application/x-www-form-urlencoded");
    return fetch(request);
  };
  const client = createClient<paths>({
    baseUrl: location.origin,
    bodySerializer: (body: unknown) => (body instanceof FormData ? body : formOf(body as object)),
    querySerializer: (query) => formOf(query).toString(),
    fetch: async (request) => {
      const usedCredentials = current;
      if (!usedCredentials || !onRefused) return sendRequest(request);
      const retry = request.clone();
      const reply = await sendRequest(request);
      if (reply.status !== 401) return reply;
      const refusal = failureOf(await bodyOf(reply.clone()), reply);
      const replacement = isInvalidKeyError(refusal) ? await onRefused(refusal, usedCredentials) : undefined;
      if (!replacement) return reply;
      current = replacement;
      return sendRequest(retry);
    },
  });
  return Object.assign(client, { call });
}

const bodyOf = (reply: Response): Promise<Partial<ErrorBody>> => reply.json().catch(() => ({}));

export type Api = ReturnType<typeof connect>;

/** The data of a successful reply; throws ApiFailure for any other. */
export async function unwrap<T>(reply: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  let result: Awaited<typeof reply>;
  try {
    result = await reply;
  } catch (error) {
    throwUnreached(error);
  }
  const { data, error, response } = result;
  if (response.ok && data !== undefined) return data;
  throw failureOf((error ?? {}) as Partial<ErrorBody>, response);
}

const failureOf = (body: Partial<ErrorBody>, { status, headers }: Response) =>
  new ApiFailure(
    body.code ?? "UNKNOWN",
    body.msg ?? `The server answered ${status}.`,
    status,
    body["retry-after"] ?? (Number(headers.get("retry-after")) || undefined),
    body,
  );

/** The Authorization header for requests outside the typed client, such as uploads with progress. */
export const authorizationOf = basicAuthorization;
