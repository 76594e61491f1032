import { closeSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { Tokenizer, TokenParser, TokenType } from "@streamparser/json";
import { ArchiveError, readJson } from "./archive.ts";

/** A row of a file of tables, `{"table": [row, …], …}`. */
export interface Row {
  table: string;
  row: unknown;
}

/** Files up to this size are parsed at once, ten times as fast as larger ones, which are parsed row by row. */
const maxBytesAtOnce = 8 * 1024 * 1024;
const chunkBytes = 64 * 1024;
/** Of one row: more than any has, and little enough to be in memory. */
const maxRowBytes = 16 * 1024 * 1024;
const maxDepth = 100;

/**
 * The rows of a file of tables, without keeping them: the file may be larger than memory. What is in it besides tables is left
 * out. Throws for what is not JSON in UTF-8, with the name of the file.
 */
export function* rowsOf(folder: string, name: string, maxAtOnce = maxBytesAtOnce): Generator<Row> {
  if (statSync(join(folder, name)).size > maxAtOnce) return yield* streamedRows(folder, name);
  const json = readJson(folder, name);
  if (typeof json !== "object" || json === null || Array.isArray(json))
    throw new ArchiveError(`${name} is not an object of tables`);
  for (const [table, rows] of Object.entries(json) as [string, unknown][]) {
    checkTable(name, table, Array.isArray(rows) || rows === null);
    if (Array.isArray(rows)) for (const row of rows) yield { table, row };
  }
}

/** Refuses a table of Zulip that has no rows: what it had would be lost without a word. */
function checkTable(name: string, table: string, isTable: boolean): void {
  if (!isTable && table.startsWith("zerver_")) throw new ArchiveError(`${table} in ${name} is not a list of rows`);
}

/** The entries of a file that is a list, like `rowsOf`. */
export function* entriesOf(folder: string, name: string, maxAtOnce = maxBytesAtOnce): Generator<unknown> {
  if (statSync(join(folder, name)).size > maxAtOnce) {
    for (const { row } of streamedRows(folder, name, "[")) yield row;
    return;
  }
  const json = readJson(folder, name);
  if (!Array.isArray(json)) throw new ArchiveError(`${name} is not a list`);
  yield* json;
}

function* streamedRows(folder: string, name: string, begin: "{" | "[" = "{"): Generator<Row> {
  const rows: Row[] = [];
  const isList = begin === "[";
  const parser = new TokenParser({ paths: [isList ? "$.*" : "$.*.*"], keepStack: false });
  parser.onValue = ({ key, value, stack }) => {
    bytesSinceRow = 0;
    // The key of a row in a table is its index; that of a field in an object is its name.
    if (typeof key === "number") rows.push({ table: String(stack[1]?.key), row: value });
  };
  const tokenizer = new Tokenizer();
  const utf8 = new TextDecoder("utf-8", { fatal: true });
  let [depth, bytesSinceRow, isFirst] = [0, 0, true];
  let [lastText, table]: [string, string | undefined] = ["", undefined];
  tokenizer.onToken = (token) => {
    if (!isList && depth === 1) {
      if (table !== undefined)
        checkTable(name, table, token.token === TokenType.LEFT_BRACKET || token.token === TokenType.NULL);
      table = token.token === TokenType.COLON ? lastText : undefined;
      if (token.token === TokenType.STRING) lastText = String(token.value);
    }
    if (token.token === TokenType.LEFT_BRACE || token.token === TokenType.LEFT_BRACKET) {
      if (isFirst && (token.token === TokenType.LEFT_BRACKET) !== isList)
        throw new ArchiveError(`${name} is not ${isList ? "a list" : "an object of tables"}`);
      if (++depth > maxDepth) throw new ArchiveError(`${name} is nested more than ${maxDepth} levels deep`);
    } else if (token.token === TokenType.RIGHT_BRACE || token.token === TokenType.RIGHT_BRACKET) depth--;
    isFirst = false;
    parser.write(token);
  };
  for (const chunk of chunksOf(join(folder, name))) {
    bytesSinceRow += chunk.length;
    try {
      utf8.decode(chunk, { stream: true });
      tokenizer.write(chunk);
    } catch (error) {
      throw asArchiveError(name, error);
    }
    if (bytesSinceRow > maxRowBytes)
      throw new ArchiveError(`${name} has an entry of more than ${maxRowBytes / 1024 / 1024} MB`);
    yield* rows.splice(0);
  }
  try {
    utf8.decode();
  } catch (error) {
    throw asArchiveError(name, error);
  }
  if (!parser.isEnded) throw asArchiveError(name, new Error("it ends too early"));
}

const asArchiveError = (name: string, error: unknown) =>
  error instanceof ArchiveError
    ? error
    : new ArchiveError(`${name} is not JSON in UTF-8 (${(error as Error).message})`);

/** The file's bytes, without a byte-order mark. */
function* chunksOf(path: string): Generator<Uint8Array> {
  const file = openSync(path, "r");
  try {
    for (let isFirst = true; ; isFirst = false) {
      const chunk = Buffer.alloc(chunkBytes);
      const length = readSync(file, chunk);
      if (length === 0) return;
      const hasMark = isFirst && chunk.subarray(0, 3).equals(byteOrderMark);
      yield chunk.subarray(hasMark ? 3 : 0, length);
    }
  } finally {
    closeSync(file);
  }
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
