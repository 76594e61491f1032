import { keyOf } from "./keys.ts";
import { packJson, unpackJson } from "./packing.ts";
import type { Key, Write } from "./writes.ts";

/** The items that a change of the log writes, as its first entry lists them. */

const indexNames = ["gsi1", "gsi2", "gsi3"] as const;
export type IndexName = (typeof indexNames)[number];

/** An item that was written. */
export interface WrittenItem extends Key {
  /** Whether the write created the item: a read that finds it is then not stale. */
  created?: true;
  /** Its new keys in the indexes that the write set. */
  indexes?: Partial<Record<IndexName, Key>>;
}

/** The items that the writes change; a condition check changes none. */
export const writtenItemsOf = (writes: readonly Write[]): WrittenItem[] =>
  writes.flatMap((write): WrittenItem[] => {
    if (write.kind === "check") return [];
    if (write.kind === "delete") return [keyOf(write.key)];
    if (write.kind === "update") return [{ ...keyOf(write.key), ...indexKeys(write.update.set ?? {}) }];
    return [{ ...keyOf(write.item), ...(write.when?.exists === false && { created: true }), ...indexKeys(write.item) }];
  });

/** An item's keys in the indexes. */
function indexKeys(attributes: Record<string, unknown>): Pick<WrittenItem, "indexes"> {
  const indexes: WrittenItem["indexes"] = {};
  for (const index of indexNames) {
    const [pk, sk] = [attributes[`${index}pk`], attributes[`${index}sk`]];
    if (typeof pk === "string" && typeof sk === "string") indexes[index] = { pk, sk };
  }
  return Object.keys(indexes).length > 0 ? { indexes } : {};
}

/** The compressed form that an entry of the log stores: about 100 bytes for a message. */
export const packWrittenItems = (items: readonly WrittenItem[]): Uint8Array | undefined =>
  items.length === 0
    ? undefined
    : packJson(
        items.map(({ pk, sk, created, indexes = {} }) => [
          pk,
          sk,
          created ? 1 : 0,
          ...Object.entries(indexes).flatMap(([index, key]) => [index, key.pk, key.sk]),
        ]),
      );

export const unpackWrittenItems = (packed: Uint8Array): WrittenItem[] =>
  unpackJson<[string, string, 0 | 1, ...string[]][]>(packed).map(([pk, sk, created, ...rest]) => {
    const indexes: WrittenItem["indexes"] = {};
    for (let at = 0; at < rest.length; at += 3)
      indexes[rest[at] as IndexName] = { pk: rest[at + 1] as string, sk: rest[at + 2] as string };
    return { pk, sk, ...(created === 1 && { created: true }), indexes };
  });

/** What an entry of the log stores about its change, apart from the event. */
export interface StoredWrites {
  sk: string;
  /** UNIX seconds at which its number was reserved. */
  at: number;
  /** Every change with an earlier number was committed, or never will be, when this number was reserved. */
  afterQuiescence?: boolean;
  /** Packed; of a change with several entries, only the first has it. */
  writtenItems?: Uint8Array;
}
