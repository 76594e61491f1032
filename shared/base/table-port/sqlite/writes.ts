import type { Condition, Item, Key, Update } from "../port.ts";
import { tableShape } from "../table-shape.ts";
import { holds } from "./conditions.ts";
import { invalid } from "./refusals.ts";
import { checkUpdate, updated } from "./updates.ts";
import { decodeItem, type EncodedItem, encodeItem, maxItemBytes, sizeOf } from "./values.ts";

/** What writes make of stored items, and what they consume. */

/** An item as it is stored. It is parsed when it is needed: many conditions ask only whether there is one. */
export class StoredItem implements EncodedItem {
  readonly text: string;
  readonly size: number;
  readonly special: boolean;
  #item: Item | undefined;

  constructor(text: string, size: number, special: boolean) {
    this.text = text;
    this.size = size;
    this.special = special;
  }

  get item(): Item {
    this.#item ??= decodeItem(this.text, this.special);
    return this.#item;
  }
}

/** Throws DynamoDB's error for a key that no item can have. */
export function checkKey({ pk, sk }: Key): void {
  checkKeyPart("pk", pk, 2048);
  checkKeyPart("sk", sk, 1024);
}

function checkKeyPart(name: string, value: unknown, maxBytes: number): void {
  if (typeof value !== "string")
    throw invalid(`One or more parameter values were invalid: Type mismatch for key ${name} expected: S`);
  if (value === "")
    throw invalid(
      `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: ${name}`,
    );
  if (Buffer.byteLength(value) > maxBytes)
    throw invalid(
      `One or more parameter values were invalid: Size of ${name} has exceeded the maximum size limit of ${maxBytes} bytes`,
    );
}

export const indexes = tableShape.indexes;

/** An item's keys in an index; undefined if the index does not contain it. */
export function indexKeys(
  { partitionKey, sortKey }: (typeof indexes)[number],
  item: Item,
): [string, string] | undefined {
  const [pk, sk] = [item[partitionKey], item[sortKey]];
  return pk === undefined || sk === undefined ? undefined : [pk as string, sk as string];
}

function checkIndexKeys(item: Item): void {
  for (const { partitionKey, sortKey } of indexes) {
    if (item[partitionKey] !== undefined) checkKeyPart(partitionKey, item[partitionKey], 2048);
    if (item[sortKey] !== undefined) checkKeyPart(sortKey, item[sortKey], 1024);
  }
}

/** A put, an update or a deletion of one item, whose values were checked. */
export interface PreparedWrite {
  key: Key;
  when: Condition | undefined;
  /** The item that a put stores. */
  put?: EncodedItem & { item: Item };
  update?: Update;
  isCheck?: boolean;
}

export function preparePut(item: Item, when?: Condition): PreparedWrite {
  checkKey(item);
  checkIndexKeys(item);
  const encoded = encodeItem(item);
  if (encoded.size > maxItemBytes) throw invalid("Item size has exceeded the maximum allowed size");
  return { key: { pk: item.pk, sk: item.sk }, when, put: { ...encoded, item } };
}

export function prepareUpdate(key: Key, update: Update, when?: Condition): PreparedWrite {
  checkKey(key);
  checkUpdate(update);
  const { set = {}, setIfAbsent = {}, add = {}, subtract = {} } = update;
  // The update's own values are refused before its condition is looked at.
  for (const values of [set, setIfAbsent, add, subtract])
    for (const value of Object.values(values)) if (value !== undefined) sizeOf(value);
  return { key, when, update };
}

export function prepareDelete(key: Key, when?: Condition): PreparedWrite {
  checkKey(key);
  return { key, when };
}

/** What a write leaves of an item: `after` is undefined when it deletes it. */
export interface Change {
  key: Key;
  before: StoredItem | undefined;
  after: (EncodedItem & { item: Item }) | undefined;
}

/** Undefined if the write's condition does not hold; throws DynamoDB's error if its result cannot be stored. */
export function changeOf(
  { key, when, put, update }: PreparedWrite,
  before: StoredItem | undefined,
): Change | undefined {
  if (when && !holds(when, needsItem(when) ? before?.item : before && existing)) return undefined;
  if (put) return { key, before, after: put };
  if (!update) return { key, before, after: undefined };
  const item = updated(key, before?.item, update);
  checkIndexKeys(item);
  const encoded = encodeItem(item);
  if (encoded.size > maxItemBytes) throw invalid("Item size to update has exceeded the maximum allowed size");
  return { key, before, after: { ...encoded, item } };
}

/** Stands for any item in a condition that asks only whether there is one. */
const existing: Item = { pk: "", sk: "" };
const needsItem = ({ exists: _, ...rest }: Condition) => Object.values(rest).some((part) => part !== undefined);

const unitsFor = (bytes: number) => Math.max(1, Math.ceil(bytes / 1024));

/** An index's entry for an item, as far as its units depend on it. */
function entryOf(index: (typeof indexes)[number], item: Item, { size, text }: EncodedItem) {
  const keys = indexKeys(index, item);
  if (!keys) return undefined;
  if (index.projection === "ALL") return { keys, size, content: text };
  return { keys, size: keysSize(index, item), content: "" };
}

export const keysSize = ({ partitionKey, sortKey }: (typeof indexes)[number], item: Item): number =>
  ["pk", "sk", partitionKey, sortKey].reduce(
    (sum, name) => sum + name.length + Buffer.byteLength(item[name] as string),
    0,
  );

/** The write units of a change, of the table and of its indexes; a transaction consumes the table's twice. */
export function unitsOf({ before, after }: Change): { table: number; indexes: number } {
  const table = unitsFor(Math.max(before?.size ?? 0, after?.size ?? 0));
  let ofIndexes = 0;
  for (const index of indexes) {
    const was = before && entryOf(index, before.item, before);
    const is = after && entryOf(index, after.item, after);
    const isMoved = was && is && (was.keys[0] !== is.keys[0] || was.keys[1] !== is.keys[1]);
    if (was && is && !isMoved) {
      if (was.content !== is.content) ofIndexes += unitsFor(Math.max(was.size, is.size));
      continue;
    }
    if (was) ofIndexes += unitsFor(was.size);
    if (is) ofIndexes += unitsFor(is.size);
  }
  return { table, indexes: ofIndexes };
}
