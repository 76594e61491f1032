import type { AttributeValue } from "@aws-sdk/client-dynamodb";

/**
 * Plain values in the form in which DynamoDB's values travel as JSON, and back: one step where the SDK's document client
 * takes three (plain values, its own values with bytes as arrays, JSON).
 */

type Attributes = Record<string, AttributeValue>;

/** An item, a key or the values of an expression; attributes that are undefined are left out. */
export function toAttributes(item: object): Attributes {
  const attributes: Attributes = {};
  for (const [name, value] of Object.entries(item))
    if (value !== undefined) assign(attributes, name, toAttribute(value));
  return attributes;
}

/** The item that attributes are, as a plain object: those of a change or an exception (`replies.ts` has those of reads). */
export function fromAttributes<T extends object>(attributes: Attributes): T {
  const item: Record<string, unknown> = {};
  for (const name in attributes) assign(item, name, fromAttribute(attributes[name] as AttributeValue));
  return item as T;
}

function toAttribute(value: unknown): AttributeValue {
  if (typeof value === "string") return { S: value };
  if (typeof value === "number") return { N: numeral(value) };
  if (typeof value === "boolean") return { BOOL: value };
  if (value === null) return { NULL: true };
  if (value instanceof Uint8Array) return { B: base64(value) };
  if (value instanceof Set) return setAttribute(value);
  if (Array.isArray(value))
    return { L: value.flatMap((element) => (element === undefined ? [] : [toAttribute(element)])) };
  if (typeof value === "object" && isPlain(value)) return { M: toAttributes(value) };
  throw new TypeError(`The table holds no ${value?.constructor?.name ?? typeof value}`);
}

function setAttribute(value: Set<unknown>): AttributeValue {
  const [first] = value;
  if (typeof first === "string") return { SS: [...value] as string[] };
  if (typeof first === "number") return { NS: ([...value] as number[]).map(numeral) };
  if (first instanceof Uint8Array) return { BS: ([...value] as Uint8Array[]).map(base64) };
  throw new TypeError("The table holds no empty sets, and only sets of texts, numbers or bytes");
}

/** JSON has no bytes: they travel in base64, whatever the SDK's type says. */
const base64 = ({ buffer, byteOffset, length }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, length).toString("base64") as unknown as Uint8Array;

function numeral(value: number): string {
  if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) throw new RangeError(`${value} is not safe in the table`);
  return String(value);
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function fromAttribute(attribute: AttributeValue): unknown {
  for (const type in attribute)
    return plainValue(type, (attribute as Record<string, any>)[type], fromAttribute, fromAttributes);
  return null;
}

/** A value by its type; `element` and `map` read what stands in lists and in maps. */
export function plainValue(
  type: unknown,
  value: any,
  element: (value: any) => unknown,
  map: (value: any) => unknown,
): unknown {
  if (type === "S" || type === "BOOL") return value;
  if (type === "N") return Number(value);
  if (type === "M") return map(value);
  if (type === "L") return value.map((each: unknown) => element(each));
  if (type === "B") return bytes(value);
  if (type === "NS") return new Set(value.map(Number));
  if (type === "SS") return new Set(value);
  if (type === "BS") return new Set(value.map(bytes));
  return null;
}

/** What an exception carries the SDK has decoded already. */
const bytes = (value: Uint8Array | string): Uint8Array =>
  typeof value === "string" ? new Uint8Array(Buffer.from(value, "base64")) : value;

/** Sets a property of an object's own. */
export function assign(target: Record<string, unknown>, name: string, value: unknown): void {
  // Assigned, this one name would change the object's prototype.
  if (name === "__proto__")
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  else target[name] = value;
}
