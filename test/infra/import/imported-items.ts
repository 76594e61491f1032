import { scanTable } from "../../../shared/store/organization/whole-table.ts";

/** The table's items, without what is new or random in each attempt of an import. */
export async function items() {
  const found = new Map<string, Record<string, unknown>>();
  for await (const page of scanTable())
    for (const { pk, sk, ...item } of page) {
      if (/^(LOG|BOTKEY|SEGMENT)#|^SEARCH$/.test(pk) || (pk === "LOG" && sk === "HEAD")) continue;
      const { keySalt: _, keyHash: __, uuid: ___, ...kept } = item as Record<string, unknown>;
      found.set(`${pk} ${sk}`, kept);
    }
  return found;
}
