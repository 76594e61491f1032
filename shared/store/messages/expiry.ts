import { getItem } from "../table/reads.ts";
import { type Update, update, type Write } from "../table/writes.ts";

/** All expired direct messages with IDs below `next` have been deleted. */
interface ExpiryCursor {
  next: number;
}

const key = { pk: "EXPIRY", sk: "DIRECT" };

export const findExpiryCursor = async (): Promise<number> => (await getItem<ExpiryCursor>(key))?.next ?? 1;

export const setExpiryCursor = (next: number): Write => update(key, { set: { next } } satisfies Update);
