import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Database, Row } from "../database.ts";
import { AwsError } from "../protocol.ts";

/** An object: the file with its content, and the headers with which it is served. */
export interface StoredObject {
  key: string;
  /** The name of the file in the store's folder. */
  file: string;
  /** Bytes. */
  size: number;
  etag: string;
  crc32: string | undefined;
  headers: Record<string, string>;
  /** UNIX milliseconds. */
  modifiedAt: number;
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
export class ObjectStore {
  readonly database: Database;
  readonly folder: string;

  constructor(database: Database, folder: string) {
    this.database = database;
    this.folder = folder;
    database.define(schema);
    mkdirSync(folder, { recursive: true });
    this.#removeUnreferencedFiles();
  }

  hasBucket(name: string): boolean {
    return this.database.find("SELECT 1 FROM buckets WHERE name = ?", name) !== undefined;
  }

  putBucket(name: string): void {
    this.database.run("INSERT INTO buckets VALUES (?, ?) ON CONFLICT DO NOTHING", name, Date.now());
  }

  find(bucket: string, key: string): StoredObject | undefined {
    const row = this.database.find("SELECT * FROM objects WHERE bucket = ? AND key = ?", bucket, key);
    return row && objectOf(row);
  }

  /** The first object after `position` whose key begins with `prefix`. */
  findNext(bucket: string, prefix: string, position: string): StoredObject | undefined {
    const row = this.database.find(
      "SELECT * FROM objects WHERE bucket = ? AND key > ? AND key >= ? ORDER BY key LIMIT 1",
      ...[bucket, position, prefix],
    );
    return row?.key.startsWith(prefix) ? objectOf(row) : undefined;
  }

  /** Stores an object under its key and removes the one that it replaces. */
  put(bucket: string, { key, file, size, etag, crc32, headers }: Omit<StoredObject, "modifiedAt">): StoredObject {
    const modifiedAt = Date.now();
    const replaced = this.find(bucket, key);
    this.database.run(
      "INSERT OR REPLACE INTO objects VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      ...[bucket, key, file, size, etag, crc32 ?? null, JSON.stringify(headers), modifiedAt],
    );
    if (replaced) this.discard(replaced.file);
    return { key, file, size, etag, crc32, headers, modifiedAt };
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
    if (!row) throw new AwsError("NoSuchUpload", "The specified multipart upload does not exist.", { status: 404 });
    return { headers: JSON.parse(row.headers) };
  }

  putPart(upload: string, number: number, { file, size, md5 }: { file: string; size: number; md5: string }): void {
    const replaced = this.database.find(
      "SELECT file FROM upload_parts WHERE upload = ? AND number = ?",
      upload,
      number,
    );
    this.database.run("INSERT OR REPLACE INTO upload_parts VALUES (?, ?, ?, ?, ?)", upload, number, file, size, md5);
    if (replaced) this.discard(replaced.file);
  }

  listParts(upload: string): Row[] {
    return this.database.list("SELECT * FROM upload_parts WHERE upload = ? ORDER BY number", upload);
  }

  deleteUpload(id: string): void {
    const parts = this.listParts(id);
    this.database.run("DELETE FROM uploads WHERE id = ?", id);
    for (const { file } of parts) this.discard(file);
  }

  pathOf(file: string): string {
    return join(this.folder, file);
  }

  /** Removes a file that no row refers to any more; if that fails, the next start removes it. */
  discard(file: string): void {
    rm(this.pathOf(file), { force: true }).catch(() => {});
  }

  #removeUnreferencedFiles(): void {
    const rows = this.database.list("SELECT file FROM objects UNION ALL SELECT file FROM upload_parts");
    const referencedFiles = new Set(rows.map(({ file }) => file));
    for (const file of readdirSync(this.folder))
      if (!referencedFiles.has(file)) rmSync(this.pathOf(file), { force: true });
  }
}

const objectOf = (row: Row): StoredObject => ({
  key: row.key,
  file: row.file,
  size: row.size,
  etag: row.etag,
  crc32: row.crc32 ?? undefined,
  headers: JSON.parse(row.headers),
  modifiedAt: row.modified_at,
});
