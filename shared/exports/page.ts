import type { Context } from "./context.ts";

export interface ArchiveEntry {
  path: string;
  content: Buffer;
}

/** The entries that a phase writes next. */
export interface Page {
  entries: ArchiveEntry[];
  /** A large file to be copied from the bucket, after the entries. */
  copy?: { path: string; file: string; size: number };
  /** The cursor of the phase's next page; undefined when it is complete. */
  next?: number | undefined;
  /** The number of the next page's files that are already written; see `filesPhase`. */
  skip?: number;
}

/** Reads the page that begins at `at`, a number whose meaning is the phase's own, such as an index or an ID. */
export type Phase = (at: number, context: Context, skip: number) => Promise<Page>;

export const jsonEntry = (path: string, value: unknown): ArchiveEntry => ({
  path,
  content: Buffer.from(JSON.stringify(value)),
});
