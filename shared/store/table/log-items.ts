import { padded } from "./keys.ts";

/** The keys of the log's items. */

/** The item that hands out the log's sequence numbers. */
export const headKey = { pk: "LOG", sk: "HEAD" };

/** A partition holds 1,000 entries, so that partitions stay small and the tail is one query. */
export const eventKey = (sequence: number) => ({ pk: logPartition(sequence), sk: padded(sequence) });
export const logPartition = (sequence: number) => `LOG#${Math.floor(sequence / entriesPerPartition)}`;
export const entriesPerPartition = 1000;
