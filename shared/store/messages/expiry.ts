import { getItem } from "../table/table.ts";
import { type Update, update, type Write } from "../table/writes.ts";

/** How far expired direct messages have been removed: all below this ID. */
interface ExpiryCursor {
  next: number;
}

const key = { pk: "EXPIRY", sk: "DIRECT" };

export const findExpiryCursor = async (): Promise<number> =>
  (await getItem<ExpiryCursor>(key, { consistent: true }))?.next ?? 1;

export const setExpiryCursor = (next: number): Write => update(key, { set: { next } } satisfies Update);
