import type { Context } from "./context.ts";

/** A file of the archive whose content is at hand. */
export interface Entry {
  path: string;
  content: Buffer;
}

/** What a phase has to write, from some place on. */
export interface Page {
  entries: Entry[];
  /** A large file to be copied from the bucket, after the entries. */
  copy?: { path: string; file: string; size: number };
  /** Where the phase goes on; absent: it is done. */
  next?: number | undefined;
  skip?: number;
}

export type Phase = (at: number, context: Context, skip: number) => Promise<Page>;

export const json = (path: string, value: unknown): Entry => ({ path, content: Buffer.from(JSON.stringify(value)) });
