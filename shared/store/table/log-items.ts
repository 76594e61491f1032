import { fetchRange } from "./calls.ts";
import { padded } from "./keys.ts";

/** The keys of the log's items. */

/** The item that hands out the log's sequence numbers. */
export const headKey = { pk: "LOG", sk: "HEAD" };

/** A partition holds 1,000 entries, so that partitions stay small and the newest entries are one query. */
export const eventKey = (sequence: number) => ({ pk: logPartition(sequence), sk: padded(sequence) });
export const logPartition = (sequence: number) => `LOG#${Math.floor(sequence / entriesPerPartition)}`;
export const entriesPerPartition = 1000;

/** The existing entries in `(after, upTo]`, from as many partitions as needed; 0.5 read units for each 4 KB, 1 if consistent. */
export async function fetchEntries<T extends object>(
  after: number,
  upTo: number,
  consistent: boolean,
  fields?: readonly string[],
): Promise<T[]> {
  const entries: T[] = [];
  for (let from = after + 1; from <= upTo; from = (Math.floor(from / entriesPerPartition) + 1) * entriesPerPartition) {
    const range = { pk: logPartition(from), from: padded(from), to: padded(upTo), ...(fields && { fields }) };
    entries.push(...(await fetchRange<T>(range, consistent)));
  }
  return entries;
}
