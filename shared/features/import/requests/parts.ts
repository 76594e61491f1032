import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { mapInBatches } from "../../../base/batches.ts";
import { badRequest } from "../../../base/errors.ts";
import { limits } from "../../../base/limits.ts";
import { deleteFile, findFileSize, getFile, presignUpload } from "../../../services/blobs/bucket.ts";
import type { ImportRequest, Parts } from "../../../store/organization/import-request.ts";
import { type Archive, openArchive } from "../archive.ts";
import { ArchiveError } from "../archive-allowance.ts";
import { makeOwnFolder } from "../own-folder.ts";

/**
 * An archive in the bucket of files, in parts: a browser sends each again that does not arrive, and a function reads one at a time
 * into memory.
 */

export const partBytes = 16 * 1024 * 1024;
export const maxArchiveBytes = limits.importedArchiveMib * 1024 * 1024;
/** A function has 10 GB for files, of which the archive and the tables of the rehearsal take some. */
const maxUnpackedBytes = 6 * 1024 ** 3;

export const partCount = ({ size }: Pick<Parts, "size">): number => Math.ceil(size / partBytes);

export function checkHasPart(parts: Pick<Parts, "size">, part: number): void {
  if (part < 0 || part >= partCount(parts)) throw badRequest("The archive has no such part.");
}

const partKey = ({ id }: Pick<Parts, "id">, part: number) => `imports/${id}/${part}`;
const sizeOfPart = ({ size }: Pick<Parts, "size">, part: number) => Math.min(partBytes, size - part * partBytes);
const partsOf = (parts: Pick<Parts, "size">) => Array.from({ length: partCount(parts) }, (_, part) => part);

/** How long a link to upload a part is valid. */
export const linkSeconds = 900;

export const presignPart = (parts: Parts, part: number) =>
  presignUpload(partKey(parts, part), sizeOfPart(parts, part), linkSeconds);

const callsAtOnce = 16;

export async function checkAllPartsArrived(parts: Parts): Promise<void> {
  const sizes = await mapInBatches(partsOf(parts), callsAtOnce, (part) => findFileSize(partKey(parts, part)));
  const missing = sizes.findIndex((size, part) => size !== sizeOfPart(parts, part));
  if (missing >= 0) throw badRequest(`Part ${missing} of the archive has not been uploaded.`);
}

/** Deletes all parts, including those of earlier requests. Idempotent. */
export async function deleteParts({ former, ...request }: ImportRequest): Promise<void> {
  for (const parts of [request, ...former])
    await mapInBatches(partsOf(parts), callsAtOnce, (part) => deleteFile(partKey(parts, part)));
}

/** Downloads and opens an archive for `work`; nothing of it is left on this machine afterwards. */
export async function withArchive<T>(request: ImportRequest, work: (archive: Archive) => Promise<T>): Promise<T> {
  const folder = makeOwnFolder();
  try {
    const path = join(folder.path, `archive${/\.zip$/i.test(request.fileName) ? ".zip" : ".tar.gz"}`);
    for (const part of partsOf(request)) {
      const file = await getFile(partKey(request, part));
      if (!file) throw new ArchiveError(`Part ${part + 1} of the archive is missing`);
      await appendFile(path, file.content);
    }
    const archive = await openArchive(path, maxUnpackedBytes);
    try {
      return await work(archive);
    } finally {
      archive.close();
    }
  } finally {
    folder.remove();
  }
}
