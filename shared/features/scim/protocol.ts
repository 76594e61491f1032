import { ApiError, bodyTooLarge, unauthorizedScimClient } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { int, optional, string, withDefault } from "../../base/schema/params.ts";
import { hasMoreValuesThan, parseJson } from "../../base/schema/text.ts";
import type { HttpEvent, HttpRequest } from "../../services/http/event.ts";
import { limitAddress, limitScimClient } from "../../services/http/rate-limit.ts";
import { RawReply } from "../../services/http/raw-reply.ts";
import { maxJsonValues } from "../../services/http/read-params.ts";
import { hasScimToken } from "../../services/identity/scim-token.ts";

/** SCIM 2.0's messages (RFC 7644): JSON in and out, and errors in a form of their own. */

const mediaType = "application/scim+json";

/** The declaration that all SCIM endpoints share. */
export const scimSpec = {
  prefix: "",
  caller: "scim",
  returns: "raw",
  raw: { types: [mediaType] },
  renderError,
  authenticate,
} as const;

async function authenticate(event: HttpEvent): Promise<void> {
  if (!(await hasScimToken(event.headers?.authorization))) {
    await limitAddress(event);
    throw unauthorizedScimClient();
  }
  await limitScimClient(event);
}

/** The path of SCIM's endpoints. */
export const scimPath = "/scim/v2";

export const scimReply = (status: number, body: object, headers: Record<string, string> = {}): RawReply =>
  new RawReply(
    status,
    { "content-type": mediaType, "cache-control": "private, no-store", ...headers },
    Buffer.from(JSON.stringify(body)),
  );

/** The reply to a deletion or a change whose result is not sent. */
export const noContent = (): RawReply => new RawReply(204, { "cache-control": "private, no-store" });

/** See RFC 7644, 3.12. Without a token, an endpoint answers as if it did not exist. */
async function renderError({ code, status, message, extra, headers }: ApiError): Promise<RawReply | undefined> {
  if (code === "NOT_FOUND") return undefined;
  const scimType = extra.scimType ?? (status === 400 ? "invalidValue" : undefined);
  const body = {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
    status: String(status),
    ...(scimType !== undefined && { scimType }),
    detail: message,
  };
  return scimReply(status, body, headers);
}

type ScimErrorType = "invalidFilter" | "invalidPath" | "invalidSyntax" | "invalidValue" | "mutability" | "noTarget";

export const scimError = (scimType: ScimErrorType, detail: string) => new ApiError("BAD_REQUEST", detail, { scimType });

/** Another user or group has the name, address or identifier. */
export const taken = (detail: string) => new ApiError("BAD_REQUEST 409", detail, { scimType: "uniqueness" });

/** Reads a request's JSON object. */
export function objectIn(request: Pick<HttpRequest, "body">): Record<string, unknown> {
  const body = request.body();
  if (body.length > limits.requestBodyBytes) throw bodyTooLarge();
  const value = parseJson(body.toString("utf8"));
  if (!isObject(value)) throw scimError("invalidSyntax", "The body is not a JSON object");
  if (hasMoreValuesThan(maxJsonValues, value)) throw bodyTooLarge();
  return value;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The number that an ID from a path or body is; undefined: it is none of ours. */
export const idIn = (text: string): number | undefined => (/^\d{1,15}$/.test(text) ? Number(text) : undefined);

/** Which attributes of a resource a client wants: comma-separated names. */
export interface Selection {
  attributes?: string | undefined;
  excludedAttributes?: string | undefined;
}

/** What is returned whatever the client selects. */
const alwaysReturned = ["schemas", "id"];

/** The selected attributes of a resource. A selected sub-attribute selects its whole attribute. */
export function select<T extends object>(resource: T, { attributes, excludedAttributes }: Selection): Partial<T> {
  if (attributes === undefined && excludedAttributes === undefined) return resource;
  const names = new Set(
    (attributes ?? excludedAttributes ?? "").split(",").map((path) => attributePath(path.trim())?.split(".")[0]),
  );
  const isWanted = (name: string) =>
    alwaysReturned.includes(name) || names.has(name.toLowerCase()) === (attributes !== undefined);
  return Object.fromEntries(Object.entries(resource).filter(([name]) => isWanted(name))) as Partial<T>;
}

/** The maximum length of an attribute's path with its filters, of a filter, and of a list of attributes; in characters. */
export const maxPathLength = 2000;

const coreSchemas = /^urn:ietf:params:scim:schemas:core:2\.0:(User|Group):/i;

/**
 * The path of an attribute without its schema and filters, in lower case, because names ignore case: "name.givenname". Undefined
 * for an attribute of an extension, and for what is longer than any path.
 */
export function attributePath(path: string): string | undefined {
  if (path.length > maxPathLength) return undefined;
  const name = path.replace(coreSchemas, "").replace(/\[[^\]]*\]/, "");
  return name.includes(":") ? undefined : name.toLowerCase();
}

const text = () => optional(string({ max: maxPathLength }));

/** The parameters of a list. */
export const listParams = {
  filter: text(),
  startIndex: withDefault(int(), 1),
  count: withDefault(int(), 100),
  attributes: text(),
  excludedAttributes: text(),
};

export interface Page {
  /** From 1. */
  startIndex: number;
  count: number;
}

/** The maximum number of resources in a reply. */
export const maxResults = 500;

/** A page of a list; `toResource` makes its resources. */
export function listReply<T>(
  items: readonly T[],
  { startIndex, count }: Page,
  toResource: (item: T) => object,
  fitting: (resources: Iterable<object>) => object[] = (resources) => [...resources],
): RawReply {
  const start = Math.max(1, startIndex);
  const page = items.slice(start - 1, start - 1 + Math.min(maxResults, Math.max(0, count)));
  const Resources = fitting(page.values().map(toResource));
  return scimReply(200, {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
    totalResults: items.length,
    startIndex: start,
    itemsPerPage: Resources.length,
    Resources,
  });
}
