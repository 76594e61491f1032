import { badRequest, bodyTooLarge, missingParameter } from "../errors.ts";
import { limits } from "../settings.ts";
import type { Param, Shape } from "./params.ts";

/** What of a payload-v2 event the parameters are read from. */
export interface ParameterSource {
  rawQueryString?: string;
  headers?: Record<string, string | undefined>;
  body?: string;
  isBase64Encoded?: boolean;
  pathParameters?: Record<string, string | undefined>;
}

/** Parses the declared parameters; `ignored` are the names that were sent and are not among them, sorted. */
export async function readParams(
  source: ParameterSource,
  shape: Shape,
): Promise<{ params: Record<string, unknown>; ignored: string[] }> {
  const sent = new URLSearchParams(source.rawQueryString ?? "");
  // A parameter is looked up in the body first, then in the query string.
  for (const [name, value] of await bodyFields(source)) sent.set(name, value);
  const path = source.pathParameters ?? {};
  const params: Record<string, unknown> = {};
  for (const [name, param] of Object.entries(shape)) {
    const inPath = path[name];
    if (inPath !== undefined) checkPathValue(name, param, inPath);
    const raw = inPath ?? sent.get(name) ?? undefined;
    sent.delete(name);
    if (raw === undefined) {
      if (param.fallback !== undefined) params[name] = param.fallback;
      else if (param.required) throw missingParameter(name);
    } else {
      params[name] = readValue(name, param, raw);
    }
  }
  return { params, ignored: [...new Set(sent.keys())].sort() };
}

/** IDs in paths are decimal integers: `2e0` and `2.0`, which JSON reads as numbers too, are none. */
function checkPathValue(name: string, { wire }: Param, raw: string) {
  if (wire === "json" && !/^-?\d+$/.test(raw)) throw badRequest(`${name} is not an integer`);
}

async function bodyFields(source: ParameterSource): Promise<[string, string][]> {
  if (!source.body) return [];
  const body = source.isBase64Encoded ? Buffer.from(source.body, "base64") : Buffer.from(source.body);
  if (body.length > limits.requestBody) throw bodyTooLarge();
  const type = source.headers?.["content-type"] ?? "";
  if (/^multipart\/form-data/i.test(type)) {
    const form = await new Response(body, { headers: { "content-type": type } }).formData().catch(() => {
      throw badRequest("The request body is not valid multipart/form-data.");
    });
    return [...form].filter((entry): entry is [string, string] => typeof entry[1] === "string");
  }
  return [...new URLSearchParams(body.toString("utf8"))];
}

function readValue(name: string, param: Param, raw: string): unknown {
  const value = decode(name, param, raw);
  const parsed = param.schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { message = "Invalid {}", path = [] } = parsed.error.issues[0] ?? {};
  const label = name + pathText(path);
  throw badRequest(
    path.length > 0 && at(value, path) === undefined ? `${label} field is missing` : message.replace("{}", () => label),
  );
}

function decode(name: string, param: Param, raw: string): unknown {
  if (param.wire === "text") return raw;
  try {
    return JSON.parse(raw);
  } catch {
    if (param.wire === "either") return raw;
    // Clients and the reference know two texts: of a number or a boolean the kind is named, of JSON that it is none.
    const kind = param.schema.safeParse(raw);
    const message = kind.success ? undefined : kind.error.issues[0]?.message;
    if (message === "{} is not an integer" || message === "{} is not a boolean")
      throw badRequest(message.replace("{}", () => name));
    throw badRequest(`${name} is not valid JSON`);
  }
}

const at = (value: unknown, path: readonly PropertyKey[]) =>
  path.reduce<unknown>((inner, part) => (inner as Record<PropertyKey, unknown> | null)?.[part], value);

const pathText = (path: readonly PropertyKey[]) =>
  path.map((part) => (typeof part === "number" ? `[${part}]` : `["${String(part)}"]`)).join("");
