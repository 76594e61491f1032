import { badRequest, bodyTooLarge, malformedForm, missingParameter } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import type { Param, Shape, Values } from "../../base/schema/params.ts";
import { hasMoreValuesThan } from "../../base/schema/text.ts";

/** The parts of the event from which parameters are read. */
interface ParameterSource {
  rawQueryString?: string;
  headers?: Record<string, string | undefined>;
  body?: string;
  isBase64Encoded?: boolean;
  pathParameters?: Record<string, string | undefined>;
}

/** More than any endpoint declares. */
const maxParameters = 1000;

/** Of the headers of one part of a form: more than names and types of files take. */
export const maxPartHeaderBytes = 16 * 1024;
const blankLine = "\r\n\r\n";

/**
 * Values in the lists and objects of a parameter's JSON, all together: more than any endpoint takes. They are counted before the schema
 * sees them, because it makes an error of each that is invalid.
 */
export const maxJsonValues = 100_000;

/** The reply names at most this many ignored parameters, each truncated to this many characters. */
const maxIgnored = 50;
const maxNameCharacters = 100;

/**
 * Parses the declared parameters. `ignored` names parameters that were sent but not declared, sorted; none with `inQueryOnly`,
 * for a body that is not a form.
 */
export async function readParams<const S extends Shape>(
  source: ParameterSource,
  shape: S,
  {
    inQueryOnly = false,
    maxBodyBytes = limits.requestBodyBytes,
  }: { inQueryOnly?: boolean; maxBodyBytes?: number } = {},
): Promise<{ params: Values<S>; ignored: string[] }> {
  const sent = sentFields(source.rawQueryString, inQueryOnly ? [] : await bodyFields(source, maxBodyBytes));
  const path = new Map(Object.entries(source.pathParameters ?? {}));
  const values: Record<string, unknown> = {};
  for (const [name, param] of Object.entries(shape)) {
    const inPath = path.get(name);
    if (inPath !== undefined) checkPathValue(name, param, inPath);
    const raw = inPath ?? sent.get(name);
    sent.delete(name);
    if (raw === undefined) {
      if (param.fallback !== undefined) values[name] = param.fallback;
      else if (param.required) throw missingParameter(name);
    } else {
      values[name] = readValue(name, param, raw);
    }
  }
  // Each value has been parsed by its parameter's schema.
  const params = values as Values<S>;
  if (inQueryOnly) return { params, ignored: [] };
  const ignored = [...sent.keys()].slice(0, maxIgnored).map((name) => name.slice(0, maxNameCharacters).toWellFormed());
  return { params, ignored: [...new Set(ignored)].sort() };
}

/** The value of a parameter as it was sent, or its default; undefined if it is absent or invalid. */
export function validValue(name: string, param: Param, raw: string | undefined): unknown {
  if (raw === undefined) return param.fallback;
  try {
    return readValue(name, param, raw);
  } catch {
    return undefined;
  }
}

/** The body takes precedence over the query string; of several values, the first counts in the query, the last in the body. */
export const sentFields = (rawQueryString = "", bodyEntries: readonly [string, string][]): Map<string, string> =>
  new Map([...formFields(rawQueryString).toReversed(), ...bodyEntries]);

/** The names and values of a form or a query. Their number is checked before they are parsed. */
export function formFields(text: string): [string, string][] {
  checkCount(text, "&");
  return [...new URLSearchParams(text)];
}

function checkCount(text: string | Buffer, separator: string) {
  let count = 0;
  for (let at = text.indexOf(separator); at >= 0; at = text.indexOf(separator, at + separator.length))
    if (++count >= maxParameters) throw badRequest(`Too many parameters (limit: ${maxParameters})`);
}

/** IDs in paths must be decimal integers: `2e0` and `2.0` are valid JSON numbers, but no IDs. */
function checkPathValue(name: string, { encoding }: Param, raw: string) {
  if (encoding === "json" && !/^-?\d+$/.test(raw)) throw badRequest(`${name} is not an integer`);
}

async function bodyFields(source: ParameterSource, maxBytes: number): Promise<[string, string][]> {
  if (!source.body) return [];
  const encoding = source.isBase64Encoded ? "base64" : "utf8";
  if (Buffer.byteLength(source.body, encoding) > maxBytes) throw bodyTooLarge();
  const body = Buffer.from(source.body, encoding);
  const type = source.headers?.["content-type"] ?? "";
  if (/^multipart\/form-data/i.test(type))
    return [...(await multipartForm(body, type))].filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    );
  return formFields(body.toString("utf8"));
}

/** The fields and files of a multipart body of the given media type. Their number and headers are checked before they are parsed. */
export async function multipartForm(body: Buffer, type: string): Promise<FormData> {
  const boundary = boundaryOf(type);
  checkCount(body, `\r\n--${boundary}`);
  checkPartHeaders(body, `\r\n--${boundary}`);
  // The parser gets the boundary whose parts were counted: in a type with several that look like one, it could choose another.
  const headers = { "content-type": `multipart/form-data; boundary="${boundary}"` };
  return new Response(new Uint8Array(body), { headers }).formData().catch(() => {
    throw malformedForm();
  });
}

function checkPartHeaders(body: Buffer, delimiter: string) {
  const maxLength = maxPartHeaderBytes + blankLine.length;
  // The first delimiter may have no line break before it.
  for (let at = body.indexOf(delimiter.trimStart()); at >= 0; at = body.indexOf(delimiter, at + 1)) {
    const start = body.subarray(at + delimiter.length, at + delimiter.length + maxLength);
    if (start.length === maxLength && !start.includes(blankLine) && start.toString("latin1", 0, 2) !== "--")
      throw badRequest(`The headers of a part are too long (limit: ${maxPartHeaderBytes} bytes)`);
  }
}

/** The boundary in a multipart form's media type, of printable ASCII that needs no escapes; empty if there is none. */
export const boundaryOf = (type: string) =>
  /;\s*boundary=(?:"([ !#-[\]-~]*)"|([!#-:<-[\]-~]*))/i.exec(type)?.slice(1).find(Boolean) ?? "";

function readValue(name: string, param: Param, raw: string): unknown {
  const value = decode(name, param, raw);
  if (raw.length > maxJsonValues && hasMoreValuesThan(maxJsonValues, value))
    throw badRequest(`${name} is too long (limit: ${maxJsonValues} values)`);
  const parsed = param.schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { message = "Invalid {}", path = [] } = parsed.error.issues[0] ?? {};
  const label = name + pathText(path);
  throw badRequest(
    path.length > 0 && valueAt(value, path) === undefined
      ? `${label} field is missing`
      : message.replace("{}", () => label),
  );
}

function decode(name: string, param: Param, raw: string): unknown {
  if (param.encoding === "text") return raw;
  try {
    return JSON.parse(raw);
  } catch {
    if (param.encoding === "either") return raw;
    // Zulip's errors name the expected type for numbers and booleans, and say "not valid JSON" for everything else.
    const result = param.schema.safeParse(raw);
    const message = result.success ? undefined : result.error.issues[0]?.message;
    if (message === "{} is not an integer" || message === "{} is not a boolean")
      throw badRequest(message.replace("{}", () => name));
    throw badRequest(`${name} is not valid JSON`);
  }
}

const valueAt = (value: unknown, path: readonly PropertyKey[]) =>
  path.reduce<unknown>((inner, part) => (inner as Record<PropertyKey, unknown> | null)?.[part], value);

const pathText = (path: readonly PropertyKey[]) =>
  path.map((part) => (typeof part === "number" ? `[${part}]` : `["${String(part)}"]`)).join("");
