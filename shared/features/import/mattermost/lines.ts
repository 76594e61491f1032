import { closeSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { ArchiveError, maxJsonBytes } from "../archive.ts";

const chunkBytes = 256 * 1024;

/** A line of a file, from 1 on, with the value that it has. */
export interface Line {
  number: number;
  value: unknown;
}

/**
 * The values of a file with one of JSON in each line, without keeping them: the file may be larger than memory. Empty lines are
 * passed over. Throws for what is not JSON in UTF-8, with the name of the file and the number of the line.
 */
export function* linesOf(folder: string, name: string): Generator<Line> {
  const file = openSync(join(folder, name), "r");
  try {
    let number = 0;
    for (const bytes of byteLinesOf(file, name)) {
      number++;
      const text = decoded(bytes, name, number);
      if (text.trim() === "") continue;
      try {
        yield { number, value: JSON.parse(text) };
      } catch (error) {
        // An error of whoever reads the lines is none of the file.
        throw error instanceof SyntaxError ? notJson(name, number, error) : error;
      }
    }
  } finally {
    closeSync(file);
  }
}

function* byteLinesOf(file: number, name: string): Generator<Buffer> {
  let begun: Buffer[] = [];
  let length = 0;
  for (;;) {
    const chunk = Buffer.alloc(chunkBytes);
    const read = readSync(file, chunk);
    if (read === 0) break;
    let from = 0;
    for (let at = chunk.indexOf(10); at !== -1 && at < read; at = chunk.indexOf(10, from)) {
      yield Buffer.concat([...begun, chunk.subarray(from, at)]);
      [begun, length, from] = [[], 0, at + 1];
    }
    begun.push(chunk.subarray(from, read));
    length += read - from;
    if (length > maxJsonBytes)
      throw new ArchiveError(
        `${name} has a line of more than ${maxJsonBytes / 1024 / 1024} MB, which no file of an export has`,
      );
  }
  if (length > 0) yield Buffer.concat(begun);
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The text of a line, without a byte-order mark. */
function decoded(bytes: Uint8Array, name: string, number: number): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw notJson(name, number, error as Error);
  }
}

const notJson = (name: string, number: number, { message }: Error) =>
  new ArchiveError(`Line ${number} of ${name} is not JSON in UTF-8 (${message})`);

/** The value in the first line of a file; undefined if it has none, or a longer one than a file of lines begins with. */
export function firstValueOf(folder: string, name: string): unknown {
  const file = openSync(join(folder, name), "r");
  try {
    const chunk = Buffer.alloc(chunkBytes);
    const text = chunk.toString("utf8", 0, readSync(file, chunk)).replace(/^\ufeff/, "");
    return JSON.parse(text.split("\n", 1)[0] as string);
  } catch {
    return undefined;
  } finally {
    closeSync(file);
  }
}
