import { createHash, randomUUID } from "node:crypto";
import { createReadStream, createWriteStream, mkdirSync, openSync, readdirSync, rmSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Database, Row } from "../database.ts";
import { AwsError } from "../error.ts";

/** A file of the store's folder. */
interface StoredFile {
  /** Its name in the folder. */
  file: string;
  /** Bytes. */
  size: number;
  md5: string;
}

/** An object: the file with its content, and the headers with which it is served. */
export interface StoredObject extends StoredFile {
  key: string;
  headers: Record<string, string>;
  /** UNIX milliseconds. */
  modifiedAt: number;
}

interface ByteRange {
  start: number;
  end: number;
}

const schema = `
  CREATE TABLE IF NOT EXISTS buckets (name TEXT PRIMARY KEY, created_at INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS objects (
    bucket TEXT NOT NULL REFERENCES buckets, key TEXT NOT NULL, file TEXT NOT NULL, size INTEGER NOT NULL, etag TEXT NOT NULL,
    crc32 TEXT, headers TEXT NOT NULL, modified_at INTEGER NOT NULL, PRIMARY KEY (bucket, key)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS uploads (
    id TEXT PRIMARY KEY, bucket TEXT NOT NULL REFERENCES buckets, key TEXT NOT NULL, headers TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS upload_parts (
    upload TEXT NOT NULL REFERENCES uploads ON DELETE CASCADE, number INTEGER NOT NULL, file TEXT NOT NULL, size INTEGER NOT NULL,
    md5 TEXT NOT NULL, PRIMARY KEY (upload, number)
  ) STRICT;`;

/** Buckets, objects and uploads: database rows that refer to write-once files in a folder. */
export class FileStore {
  readonly database: Database;
  readonly #folder: string;

  constructor(database: Database, folder: string) {
    this.database = database;
    this.#folder = folder;
    database.define(schema);
    mkdirSync(folder, { recursive: true });
    this.#removeUnreferencedFiles();
  }

  putBucket(name: string): void {
    this.database.run("INSERT INTO buckets VALUES (?, ?) ON CONFLICT DO NOTHING", name, Date.now());
  }

  find(bucket: string, key: string): StoredObject | undefined {
    const row = this.database.find("SELECT * FROM objects WHERE bucket = ? AND key = ?", bucket, key);
    return row && objectOf(row);
  }

  listKeys(bucket: string, prefix: string): string[] {
    const rows = this.database.list(
      "SELECT key FROM objects WHERE bucket = ? AND key >= ? ORDER BY key",
      bucket,
      prefix,
    );
    return rows.map(({ key }) => key).filter((key) => key.startsWith(prefix));
  }

  /** Streams `source` into a new file, which gets its name only once it is complete. */
  async write(source: AsyncIterable<Uint8Array> | readonly Uint8Array[]): Promise<StoredFile> {
    const file = randomUUID();
    const partialFile = `${this.#pathOf(file)}.part`;
    const md5 = createHash("md5");
    let size = 0;
    try {
      await pipeline(
        Readable.from(source),
        async function* measure(chunks: AsyncIterable<Uint8Array>) {
          for await (const chunk of chunks) {
            size += chunk.length;
            md5.update(chunk);
            yield chunk;
          }
        },
        createWriteStream(partialFile),
      );
      await rename(partialFile, this.#pathOf(file));
      return { file, size, md5: md5.digest("hex") };
    } catch (error) {
      await rm(partialFile, { force: true });
      throw error;
    }
  }

  /** A file's content, or the bytes from `start` to `end` of it, which stay readable if it is deleted meanwhile. */
  read({ file, size }: StoredFile, { start, end }: ByteRange = { start: 0, end: size - 1 }): Readable {
    return size === 0 ? Readable.from([]) : createReadStream("", { fd: openSync(this.#pathOf(file), "r"), start, end });
  }

  /** Stores an object under its key and removes the one that it replaces. */
  put(bucket: string, { key, file, size, md5, headers }: Omit<StoredObject, "modifiedAt">): void {
    const replaced = this.find(bucket, key);
    this.database.run(
      "INSERT OR REPLACE INTO objects VALUES (?, ?, ?, ?, ?, NULL, ?, ?)",
      ...[bucket, key, file, size, md5, JSON.stringify(headers), Date.now()],
    );
    if (replaced) this.discard(replaced.file);
  }

  delete(bucket: string, key: string): void {
    const object = this.find(bucket, key);
    if (!object) return;
    this.database.run("DELETE FROM objects WHERE bucket = ? AND key = ?", bucket, key);
    this.discard(object.file);
  }

  putUpload(id: string, bucket: string, key: string, headers: Record<string, string>): void {
    this.database.run("INSERT INTO uploads VALUES (?, ?, ?, ?)", id, bucket, key, JSON.stringify(headers));
  }

  getUpload(id: string, bucket: string, key: string): { headers: Record<string, string> } {
    const row = this.database.find("SELECT * FROM uploads WHERE id = ? AND bucket = ? AND key = ?", id, bucket, key);
    if (!row) throw new AwsError("NoSuchUpload", "The specified multipart upload does not exist.", 404);
    return { headers: JSON.parse(row.headers) };
  }

  putPart(upload: string, number: number, { file, size, md5 }: StoredFile): void {
    const replaced = this.database.find(
      "SELECT file FROM upload_parts WHERE upload = ? AND number = ?",
      upload,
      number,
    );
    this.database.run("INSERT OR REPLACE INTO upload_parts VALUES (?, ?, ?, ?, ?)", upload, number, file, size, md5);
    if (replaced) this.discard(replaced.file);
  }

  listParts(upload: string): (StoredFile & { number: number })[] {
    return this.database.list("SELECT * FROM upload_parts WHERE upload = ? ORDER BY number", upload) as never[];
  }

  deleteUpload(id: string): void {
    const parts = this.listParts(id);
    this.database.run("DELETE FROM uploads WHERE id = ?", id);
    for (const { file } of parts) this.discard(file);
  }

  #pathOf(file: string): string {
    return join(this.#folder, file);
  }

  /** Removes a file that no row refers to any more; if that fails, the next start removes it. */
  discard(file: string): void {
    rm(this.#pathOf(file), { force: true }).catch(() => {});
  }

  #removeUnreferencedFiles(): void {
    const rows = this.database.list("SELECT file FROM objects UNION ALL SELECT file FROM upload_parts");
    const referencedFiles = new Set(rows.map(({ file }) => file));
    for (const file of readdirSync(this.#folder))
      if (!referencedFiles.has(file)) rmSync(this.#pathOf(file), { force: true });
  }
}

const objectOf = (row: Row): StoredObject => ({
  key: row.key,
  file: row.file,
  size: row.size,
  md5: row.etag,
  headers: JSON.parse(row.headers),
  modifiedAt: row.modified_at,
});
