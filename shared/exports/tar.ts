import { Header } from "tar/header";
import { Pax } from "tar/pax";

/**
 * The parts of a tar archive. An archive is written by several invocations, which may end in the middle of a file, so that
 * only the library's headers can be used, not its streams.
 */

const block = 512;

/** A file's header; a name that is too long for it gets an extended header. `at`: UNIX seconds. */
export function tarHeader(path: string, size: number, at: number): Buffer {
  const entry = { path, size, mtime: new Date(at * 1000), mode: 0o644, uid: 0, gid: 0, type: "File" as const };
  const header = new Header(entry);
  header.encode();
  const record = header.needPax ? [new Pax({ path, size, mtime: entry.mtime }).encode()] : [];
  return Buffer.concat([...record, header.block as Buffer]);
}

/** Padding of a file's last block. */
export const tarPadding = (size: number): Buffer => Buffer.alloc((block - (size % block)) % block);

/** The end-of-archive marker. */
export const tarEnd = (): Buffer => Buffer.alloc(2 * block);
