import { types } from "node:util";
import type { Item } from "../port.ts";
import { invalid } from "./refusals.ts";

/**
 * Items as JSON text. Most items are plain JSON, which is parsed as fast as the engine can. A set, bytes, and a map with names that could
 * be taken for these are an object with one property, whose name begins with a character that no other name in the text begins with;
 * only an item that contains one is walked after it was parsed.
 */

export interface EncodedItem {
  text: string;
  /** Bytes, as DynamoDB counts them. */
  size: number;
  /** Whether the text contains more than plain JSON. */
  special: boolean;
}

export const maxItemBytes = 400 * 1024;
const maxDepth = 32;

const mark = "\u0000";
const [setMark, bytesMark, byteSetMark, mapMark] = ["s", "b", "B", "m"].map((kind) => mark + kind) as [
  string,
  string,
  string,
  string,
];

/** Throws DynamoDB's error for a value that it does not store. */
export function encodeItem(item: object): EncodedItem {
  const measured = { special: false };
  const size = measureFields(item as Record<string, unknown>, measured, 0);
  const plain = measured.special ? encode(item) : item;
  const text = JSON.stringify(plain);
  // JSON.stringify escapes a surrogate only if it stands alone, and UTF-8 cannot express it.
  if (!text.includes("\\ud")) return { text, size, special: measured.special };
  return { text: JSON.stringify(wellFormed(plain)), size, special: measured.special };
}

export function decodeItem(text: string, special: boolean): Item {
  const item = JSON.parse(text);
  return special ? (decode(item) as Item) : item;
}

/** The size of a value in bytes, as DynamoDB counts it; throws its error for a value that it does not store. */
export const sizeOf = (value: unknown): number => measure(value, { special: false }, 1);

function measureFields(map: Record<string, unknown>, measured: { special: boolean }, depth: number): number {
  let size = 0;
  for (const name in map) {
    const value = map[name];
    if (value === undefined) continue;
    if (name.charCodeAt(0) === 0) measured.special = true;
    size += byteLength(name) + measure(value, measured, depth + 1) + (depth > 0 ? 1 : 0);
  }
  return size;
}

function measure(value: unknown, measured: { special: boolean }, depth: number): number {
  if (depth > maxDepth + 1) throw invalid("Nesting Levels have exceeded supported limits");
  switch (typeof value) {
    case "string":
      return byteLength(value);
    case "number":
      return numberSize(value);
    case "boolean":
      return 1;
    case "object":
      break;
    default:
      throw new TypeError(`The table does not store a ${typeof value}`);
  }
  if (value === null) return 1;
  if (Array.isArray(value)) {
    let size = 3;
    for (const one of value) {
      if (one === undefined) measured.special = true;
      else size += 1 + measure(one, measured, depth + 1);
    }
    return size;
  }
  if (types.isSet(value)) {
    measured.special = true;
    return measureSet(value);
  }
  if (value instanceof Uint8Array) {
    measured.special = true;
    return value.byteLength;
  }
  const prototype = Object.getPrototypeOf(value);
  // A plain object of another realm has another Object.prototype, whose own prototype is null.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null)
    throw new TypeError(`The table does not store a ${value.constructor?.name}`);
  return 3 + measureFields(value as Record<string, unknown>, measured, depth);
}

function measureSet(set: Set<unknown>): number {
  let size = 0;
  let kind: string | undefined;
  for (const member of set) {
    if (member === undefined) continue;
    const memberKind = member instanceof Uint8Array ? "bytes" : typeof member;
    kind ??= memberKind;
    if (kind !== memberKind || !/^(string|number|bytes)$/.test(kind))
      throw new TypeError("A set has strings, or numbers, or bytes");
    size += measure(member, { special: false }, 0);
  }
  if (kind === undefined) throw new TypeError("A set must not be empty");
  return size;
}

const byteLength = (text: string) => Buffer.byteLength(text);

const minNumber = 1e-130;

function numberSize(value: number): number {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER)
    throw new RangeError(`The table does not store ${value}, which a double cannot hold exactly`);
  if (value === 0) return 1;
  if (Math.abs(value) < minNumber) throw invalid("Number underflow. Attempting to store a number too small");
  // A byte for two digits, one for the exponent, and one for a minus.
  const [digits = ""] = Math.abs(value).toExponential().split("e");
  const significant = digits.length > 1 ? digits.length - 1 : 1;
  return Math.ceil(significant / 2) + 1 + (value < 0 ? 1 : 0);
}

function encode(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.filter((one) => one !== undefined).map(encode);
  if (types.isSet(value)) {
    const members = [...value].filter((one) => one !== undefined);
    return members[0] instanceof Uint8Array
      ? { [byteSetMark]: members.map((bytes) => base64(bytes as Uint8Array)) }
      : { [setMark]: members };
  }
  if (value instanceof Uint8Array) return { [bytesMark]: base64(value) };
  const entries = Object.entries(value).flatMap(([name, one]) => (one === undefined ? [] : [[name, encode(one)]]));
  return entries.some(([name]) => (name as string).startsWith(mark)) ? { [mapMark]: entries } : fromEntries(entries);
}

function decode(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(decode);
  const map = value as Record<string, unknown>;
  for (const name in map) {
    if (name.charCodeAt(0) !== 0) {
      map[name] = decode(map[name]);
      continue;
    }
    const content = map[name] as never;
    switch (name) {
      case setMark:
        return new Set(content);
      case bytesMark:
        return bytesOf(content);
      case byteSetMark:
        return new Set((content as string[]).map(bytesOf));
      case mapMark:
        return fromEntries((content as [string, unknown][]).map(([key, one]) => [key, decode(one)]));
    }
  }
  return map;
}

const fromEntries = (entries: readonly unknown[][]) => Object.fromEntries(entries as [string, unknown][]);

const base64 = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, "base64"));

function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(wellFormed);
  return fromEntries(Object.entries(value).map(([name, one]) => [name.toWellFormed(), wellFormed(one)]));
}
