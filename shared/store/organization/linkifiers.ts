import { getItem } from "../table/reads.ts";
import { put, type Write } from "../table/writes.ts";

export interface Linkifier {
  id: number;
  pattern: string;
  urlTemplate: string;
}

/** The organization's linkifiers in the order in which they apply: one item, because they are always used together. */
interface LinkifierList {
  /** Incremented by each change; 0 before the first. */
  version: number;
  linkifiers: Linkifier[];
}

const key = { pk: "LINKIFIERS", sk: "LINKIFIERS" };

/** 1 read unit for each 4 KB. */
export const readLinkifiers = async (): Promise<LinkifierList> =>
  (await getItem<LinkifierList>(key)) ?? { version: 0, linkifiers: [] };

/** Replaces the list; fails unless the stored version is the one before. */
export const putLinkifiers = (list: LinkifierList): Write =>
  put({ ...key, ...list }, list.version === 1 ? { exists: false } : { equals: { version: list.version - 1 } });
