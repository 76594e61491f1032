import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { deserialize } from "bson";
import { ArchiveError } from "../archive.ts";

/** What MongoDB allows, and the metadata that its tools add. */
const maxDocumentBytes = 16 * 1024 * 1024 + 16 * 1024;
/** An empty document: its length, and the end. */
const minDocumentBytes = 5;

/** A document of a file, from 1 on, with where it is. */
interface Document {
  number: number;
  value: Record<string, unknown>;
  position: number;
}

/**
 * The documents of a file of `mongodump`, without keeping them: the file may be larger than memory. Throws for what is not BSON, with
 * the name of the file and the number of the document.
 */
export function* documentsOf(folder: string, name: string): Generator<Document> {
  const file = openSync(join(folder, name), "r");
  try {
    const { size } = fstatSync(file);
    let position = 0;
    for (let number = 1; position < size; number++) {
      const bytes = bytesAt(file, position, size, `Document ${number} of ${name}`);
      yield { number, value: decoded(bytes, `Document ${number} of ${name}`), position };
      position += bytes.length;
    }
  } finally {
    closeSync(file);
  }
}

/** The document at a position of a file. */
export function documentAt(folder: string, name: string, position: number): Record<string, unknown> {
  const file = openSync(join(folder, name), "r");
  try {
    const where = `The document at ${position} of ${name}`;
    return decoded(bytesAt(file, position, fstatSync(file).size, where), where);
  } finally {
    closeSync(file);
  }
}

function bytesAt(file: number, position: number, size: number, where: string): Buffer {
  const header = Buffer.alloc(4);
  const length = readSync(file, header, 0, 4, position) === 4 ? header.readInt32LE() : 0;
  if (length < minDocumentBytes || length > maxDocumentBytes || position + length > size)
    throw new ArchiveError(`${where} is not BSON, or cut off`);
  const bytes = Buffer.alloc(length);
  if (readSync(file, bytes, 0, length, position) !== length) throw new ArchiveError(`${where} is cut off`);
  return bytes;
}

function decoded(bytes: Buffer, where: string): Record<string, unknown> {
  try {
    // Patterns stay what they are, because one may not be a regular expression here.
    return deserialize(bytes, { promoteBuffers: true, bsonRegExp: true });
  } catch (error) {
    throw new ArchiveError(`${where} is not BSON (${(error as Error).message})`);
  }
}
