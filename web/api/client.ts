import createClient from "openapi-fetch";
import type { components, paths } from "./schema.ts";

/** The body of an error reply. */
export type ErrorBody = components["schemas"]["BAD_REQUEST"] & { code: string; "retry-after"?: number };

/** A call that the server refused, or that never reached it (`code` is then "NETWORK"). */
export class ApiFailure extends Error {
  override name = "ApiFailure";
  readonly code: string;
  readonly status: number;
  /** Seconds to wait before a retry, if the server says so. */
  readonly retryAfter: number | undefined;
  /** Further fields of the error. */
  readonly details: Readonly<Record<string, unknown>>;
  constructor(code: string, message: string, status = 0, retryAfter?: number, details: object = {}) {
    super(message);
    this.code = code;
    this.status = status;
    this.retryAfter = retryAfter;
    this.details = { ...details };
  }
}

export interface Credentials {
  email: string;
  apiKey: string;
}

/** Encodes non-ASCII addresses as UTF-8, which the server decodes. */
const basic = ({ email, apiKey }: Credentials) =>
  `Basic ${btoa(String.fromCodePoint(...new TextEncoder().encode(`${email}:${apiKey}`)))}`;

/** A value of a form or query: strings unchanged, anything else as JSON. */
const encoded = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));

export function formOf(fields: object): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.set(name, encoded(value));
  return form;
}

/** The codes of errors by which the server refuses a key, whatever it was sent for. */
const refusals = new Set(["UNAUTHORIZED", "USER_DEACTIVATED", "REALM_DEACTIVATED"]);

export const refusesKey = (error: unknown): error is ApiFailure =>
  error instanceof ApiFailure && refusals.has(error.code);

/** Hears that the server refused credentials, and may return others to use from now on. */
type OnRefused = (refusal: ApiFailure, refused: Credentials) => Promise<Credentials | undefined>;

/** A typed client of this page's own server; without credentials only public endpoints work. */
export function connect(credentials?: Credentials, onRefused?: OnRefused) {
  let sender = credentials;
  const send = (request: Request) => {
    if (sender) request.headers.set("authorization", basic(sender));
    if (!(request.headers.get("content-type") ?? "").startsWith("multipart/"))
      request.headers.set("content-type", "application/x-www-form-urlencoded");
    return fetch(request);
  };
  return createClient<paths>({
    baseUrl: location.origin,
    bodySerializer: (body: unknown) => (body instanceof FormData ? body : formOf(body as object)),
    querySerializer: (query) => formOf(query).toString(),
    fetch: async (request) => {
      const used = sender;
      if (!used || !onRefused) return send(request);
      const again = request.clone();
      const reply = await send(request);
      if (reply.status !== 401) return reply;
      const refusal = failureOf(await bodyOf(reply.clone()), reply);
      const others = refusesKey(refusal) ? await onRefused(refusal, used) : undefined;
      if (!others) return reply;
      sender = others;
      return send(again);
    },
  });
}

const bodyOf = (reply: Response): Promise<Partial<ErrorBody>> => reply.json().catch(() => ({}));

export type Api = ReturnType<typeof connect>;

/** The data of a successful reply; throws ApiFailure for any other. */
export async function unwrap<T>(reply: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  let settled: Awaited<typeof reply>;
  try {
    settled = await reply;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiFailure("NETWORK", "The server cannot be reached.");
  }
  const { data, error, response } = settled;
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
export const authorizationOf = basic;
