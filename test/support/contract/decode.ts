import type { Client, Fact, Fields } from "./facts.ts";

/** Decodes what a client receives by its facts (facts.ts). */

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isWhole = (value: unknown): value is number => Number.isInteger(value);

const scalars: Readonly<Record<string, (value: unknown) => boolean>> = {
  any: () => true,
  bool: (value) => typeof value === "boolean",
  color: (value) => typeof value === "string" && /^#[0-9a-f]{6}$/.test(value),
  int: isWhole,
  number: (value) => typeof value === "number",
  string: (value) => typeof value === "string",
  url: (value) => typeof value === "string" && URL.canParse(value, "https://relative.test/"),
  ascending: (value) =>
    Array.isArray(value) &&
    value.every(isWhole) &&
    value.every((id, index) => index === 0 || Number(value[index - 1]) < id),
  null: (value) => value === null,
  true: (value) => value === true,
};

interface Parsed {
  types: string[];
  mayBeAbsent: boolean;
  mayBeNull: boolean;
}

/** Facts are few and values many. */
const parsedFacts = new Map<string, Parsed>();

function parsed(fact: string, level: number): Parsed {
  const key = `${level} ${fact}`;
  const known = parsedFacts.get(key);
  if (known) return known;
  const [, type = "", since] = /^(.*?)(?: since (\d+))?$/.exec(fact) ?? [];
  const [, types = "", absent, orNull] = /^(.*?)( \?)?( null)?$/.exec(type) ?? [];
  const result = {
    types: /^[[{]/.test(types) || types.startsWith("as ") ? [types] : types.split("/"),
    mayBeAbsent: absent !== undefined || (since !== undefined && Number(since) > level),
    mayBeNull: orNull !== undefined,
  };
  parsedFacts.set(key, result);
  return result;
}

/** What prevents a client of a server of this level from decoding: one line for each field, with its path. */
export class Decoder {
  readonly #client: Client;
  readonly #level: number;
  /** The objects and events that were decoded. */
  readonly seen = new Set<string>();

  constructor(client: Client, level: number) {
    this.#client = client;
    this.#level = level;
  }

  /** The reply to a call. With `isPartial`, fields of the reply itself may be absent, because the caller asked for a part. */
  reply(call: string, body: unknown, { isPartial = false } = {}): string[] {
    const fields = this.#client.replies[call];
    if (!fields) return [];
    const present = isPartial && isObject(body) ? Object.entries(fields).filter(([name]) => name in body) : undefined;
    return this.#fields(present ? Object.fromEntries(present) : fields, body, call);
  }

  event(event: Json): string[] {
    const { type, op } = event;
    const name = [`${type} ${op}`, String(type)].find((one) => one in this.#client.events);
    if (name === undefined) return isWhole(event.id) ? [] : [`${type}.id`];
    this.seen.add(name);
    return [...this.#fields({ id: "int", ...this.#client.events[name] }, event, name), ...moveProblems(event)];
  }

  #fields(fields: Fields, value: unknown, path: string): string[] {
    if (!isObject(value)) return [`${path} is ${JSON.stringify(value)}, not an object`];
    return Object.entries(fields).flatMap(([name, fact]) => this.#field(fact, value, name, `${path}.${name}`));
  }

  #field(fact: Fact, object: Json, name: string, path: string): string[] {
    const value = object[name];
    if (typeof fact !== "string") {
      const further = fact[String(value)];
      return further === undefined ? [`${path} is ${JSON.stringify(value)}`] : this.#object(further, object, path);
    }
    const { types, mayBeAbsent, mayBeNull } = parsed(fact, this.#level);
    if (value === undefined) return mayBeAbsent ? [] : [`${path} is missing`];
    if (value === null && mayBeNull) return [];
    const [, by, field] = /^as (\w+) by (\w+)$/.exec(types[0] as string) ?? [];
    if (by !== undefined) return this.#named(by, object[field as string], value, path);
    const problems = types.map((type) => this.#value(type, value, path));
    return problems.some((found) => found.length === 0) ? [] : (problems.at(-1) as string[]);
  }

  /** The value of the field of an object whose name an event has. */
  #named(object: string, field: unknown, value: unknown, path: string): string[] {
    const fact = this.#client.objects[object]?.[String(field)];
    this.seen.add(object);
    return fact === undefined ? [] : this.#field(fact, { value }, "value", `${path}(${field})`);
  }

  #object(name: string, value: unknown, path: string): string[] {
    const fields = this.#client.objects[name];
    if (!fields) throw new Error(`No facts about ${name}`);
    this.seen.add(name);
    const isClosed = this.#client.closed?.includes(name) && isObject(value);
    const unknown = isClosed ? Object.keys(value).filter((field) => !(field in fields)) : [];
    return [...unknown.map((field) => `${path}.${field} is unknown`), ...this.#fields(fields, value, path)];
  }

  #value(type: string, value: unknown, path: string): string[] {
    const [, open, , inner] = /^([[{])(#?)(.*)[\]}]$/.exec(type) ?? [];
    const each = (entries: [string, unknown][]) =>
      entries.flatMap(([key, item]) => this.#field(inner as string, { item }, "item", `${path}[${key}]`));
    if (open === "[")
      return Array.isArray(value)
        ? each(value.map((item, index) => [String(index), item]))
        : [`${path} is ${JSON.stringify(value)}, not a list`];
    if (open === "{") {
      if (!isObject(value)) return [`${path} is ${JSON.stringify(value)}, not an object`];
      const keys = type.startsWith("{#") ? Object.keys(value).filter((key) => !/^\d+$/.test(key)) : [];
      return [...keys.map((key) => `${path} has the key ${key}`), ...each(Object.entries(value))];
    }
    if (/^[A-Z]/.test(type)) return this.#object(type, value, path);
    const isRight = scalars[type]?.(value) ?? (typeof value === "string" ? `'${value}'` : String(value)) === type;
    return isRight ? [] : [`${path} is ${JSON.stringify(value)}, not ${type}`];
  }
}

/** A moved message says from where, whereto and how; the mobile app drops its queue otherwise. */
function moveProblems(event: Json): string[] {
  const { type, stream_id, new_stream_id, orig_subject, subject, propagate_mode } = event;
  if (type !== "update_message") return [];
  const hasMoved =
    (new_stream_id !== undefined && new_stream_id !== stream_id) || (subject !== undefined && subject !== orig_subject);
  if (!hasMoved) return propagate_mode === undefined ? [] : ["update_message.propagate_mode without a move"];
  const isWholeMove = stream_id !== undefined && orig_subject !== undefined && propagate_mode !== undefined;
  return isWholeMove ? [] : ["update_message: a move without where from or how"];
}
