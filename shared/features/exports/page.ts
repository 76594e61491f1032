import type { Context } from "./context.ts";

export interface ArchiveEntry {
  path: string;
  content: Buffer;
}

/** What a phase writes next, besides the rows that it adds to the context's lists. */
export interface Page {
  /** Files of the archive. */
  entries?: ArchiveEntry[] | undefined;
  /** A large file to be copied from the bucket, after the entries. */
  copy?: { path: string; file: string; size: number };
  /** The next bytes of a tar archive, for a file that is larger than memory. */
  bytes?: Buffer[];
  /** The cursor of the phase's next page; undefined when it is complete. */
  next?: number | undefined;
  /** The number of the next page's files that are already written; see `uploadsPhase`. */
  skip?: number;
}

/** Reads the page that begins at `at`, a number whose meaning is the phase's own, such as an index or an ID. */
export type Phase = (at: number, context: Context, skip: number) => Promise<Page>;

export const jsonEntry = (path: string, value: unknown): ArchiveEntry => ({
  path,
  content: Buffer.from(JSON.stringify(value)),
});
