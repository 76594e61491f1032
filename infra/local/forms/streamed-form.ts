import { randomUUID } from "node:crypto";
import { type FileHandle, open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ReceivedFile } from "../../../shared/services/http/event.ts";
import { boundaryOf, maxPartHeaderBytes, multipartForm } from "../../../shared/services/http/read-params.ts";

/** A multipart form that is read while it arrives, so that its files are on disk and never in memory. */
export interface StreamedForm {
  /** The text fields, in their order. */
  fields: [name: string, value: string][];
  files: ReceivedFile[];
  /** Deletes the files' content. */
  release(): Promise<void>;
}

/** More than a client sends: a form of 100 MiB could otherwise have a million empty parts, each with headers that are read. */
const maxParts = 100;
/** Of all text fields together. */
const maxTextBytes = 256 * 1024;

const blankLine = Buffer.from("\r\n\r\n");

/** Thrown for a body of more than the maximum size, or of more parts. */
export class FormTooLarge extends Error {}
/** Thrown for a body that is not a multipart form. */
export class MalformedForm extends Error {}

/**
 * Reads a form of at most `maxBytes`, whose files it writes into one file of `folder`, which has no name there any more, so that
 * a process that dies leaves nothing behind.
 */
export async function readStreamedForm(
  chunks: AsyncGenerator<Buffer, undefined>,
  { contentType, folder, maxBytes }: { contentType: string; folder: string; maxBytes: number },
): Promise<StreamedForm> {
  const path = join(folder, `upload-${randomUUID()}`);
  const disk = await open(path, "wx+", 0o600);
  const release = async () => {
    await disk.close().catch(() => undefined);
    await rm(path, { force: true });
  };
  try {
    // Where an open file cannot be removed, `release` removes it.
    await rm(path, { force: true }).catch(() => undefined);
    return { ...(await readParts(chunks, contentType, disk, maxBytes)), release };
  } catch (error) {
    await release();
    throw error;
  } finally {
    await chunks.return(undefined);
  }
}

async function readParts(
  source: AsyncGenerator<Buffer, undefined>,
  contentType: string,
  disk: FileHandle,
  maxBytes: number,
) {
  const boundary = boundaryOf(contentType);
  if (boundary === "") throw new MalformedForm();
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const fields: StreamedForm["fields"] = [];
  const files: ReceivedFile[] = [];
  let [received, onDisk, textBytes] = [0, 0, 0];
  // The first delimiter may have no line break before it.
  let pending: Buffer = Buffer.from("\r\n");
  const readMore = async () => {
    const { value, done } = await source.next();
    if (done) throw new MalformedForm();
    received += value.length;
    if (received > maxBytes) throw new FormTooLarge();
    pending = Buffer.concat([pending, value]);
  };
  /** Passes on everything before the next `mark`, and removes both from `pending`. */
  const readUpTo = async (mark: Buffer, onData: (data: Buffer) => Promise<void> | void) => {
    for (;;) {
      const at = pending.indexOf(mark);
      // The end of `pending` may be the beginning of the mark.
      const safe = at >= 0 ? at : Math.max(0, pending.length - mark.length + 1);
      if (safe > 0) await onData(pending.subarray(0, safe));
      pending = pending.subarray(at >= 0 ? at + mark.length : safe);
      if (at >= 0) return;
      await readMore();
    }
  };
  const collect = async (mark: Buffer, max: number) => {
    const parts: Buffer[] = [];
    let size = 0;
    await readUpTo(mark, (data) => {
      size += data.length;
      if (size > max) throw new FormTooLarge();
      parts.push(Buffer.from(data));
    });
    return Buffer.concat(parts);
  };

  await readUpTo(delimiter, () => {});
  for (;;) {
    while (pending.length < 2) await readMore();
    if (pending.subarray(0, 2).toString("latin1") === "--") break;
    if (fields.length + files.length === maxParts) throw new FormTooLarge();
    const [name, value] = await partOf(await collect(blankLine, maxPartHeaderBytes));
    if (typeof value === "string") {
      const text = await collect(delimiter, maxTextBytes - textBytes);
      textBytes += text.length + name.length;
      fields.push([name, text.toString("utf8")]);
      continue;
    }
    const start = onDisk;
    await readUpTo(delimiter, async (data) => {
      await disk.write(data, 0, data.length, onDisk);
      onDisk += data.length;
    });
    files.push(storedFile(value.name, disk, start, onDisk - start));
  }
  // What follows the last delimiter has no meaning.
  for (;;) {
    const { value, done } = await source.next();
    if (done) break;
    received += value.length;
    if (received > maxBytes) throw new FormTooLarge();
  }
  return { fields, files };
}

/** A part's name, and a file without content if it is one, as the reader of whole forms understands the part's headers. */
async function partOf(head: Buffer): Promise<[name: string, value: string | File]> {
  const text = Buffer.concat([Buffer.from("--part"), head, blankLine, Buffer.from("\r\n--part--\r\n")]);
  const [entry] = await multipartForm(text, "multipart/form-data; boundary=part");
  if (!entry) throw new MalformedForm();
  return entry as [string, string | File];
}

const storedFile = (name: string, disk: FileHandle, offset: number, size: number): ReceivedFile => ({
  name,
  size,
  read: async (start, end) => {
    const content = Buffer.alloc(Math.max(0, Math.min(end, size) - start));
    for (let at = 0; at < content.length; ) {
      const { bytesRead } = await disk.read(content, at, content.length - at, offset + start + at);
      if (bytesRead === 0) throw new Error("The stored upload is shorter than what was written");
      at += bytesRead;
    }
    return content;
  },
});
