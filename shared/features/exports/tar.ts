import { Header } from "tar/header";
import { Pax } from "tar/pax";

/**
 * The parts of a tar archive. An archive is written by several invocations, which may end in the middle of a file, so that
 * only the library's headers can be used, not its streams.
 */

const blockBytes = 512;

/** A file's header; a path that is too long for it gets an extended header. `modifiedAt`: UNIX seconds. */
export function tarHeader(path: string, size: number, modifiedAt: number): Buffer {
  const entry = { path, size, mtime: new Date(modifiedAt * 1000), mode: 0o644, uid: 0, gid: 0, type: "File" as const };
  const header = new Header(entry);
  header.encode();
  const extendedHeader = header.needPax ? [new Pax({ path, size, mtime: entry.mtime }).encode()] : [];
  return Buffer.concat([...extendedHeader, header.block as Buffer]);
}

/** The padding after a file's content, up to a whole block. */
export const tarPadding = (size: number): Buffer => Buffer.alloc((blockBytes - (size % blockBytes)) % blockBytes);

export const tarEnd = (): Buffer => Buffer.alloc(2 * blockBytes);
