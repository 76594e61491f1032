import { ApiError, badRequest } from "../errors.ts";
import type { Realm } from "../organization/access.ts";
import { limits } from "../settings.ts";

const mib = 1024 * 1024;

/** Bytes that all files together may take; undefined when there is no limit. */
export const quotaOf = ({ settings: { upload_quota_mib } }: Pick<Realm, "settings">): number | undefined =>
  upload_quota_mib === null ? undefined : upload_quota_mib * mib;

/** Refuses a file that is larger than the server takes at all. */
export function checkFileSize(size: number, mostMib: number = limits.fileUploadMib): void {
  if (size > mostMib * mib)
    throw tooLarge(`File is larger than this server's configured maximum upload size (${mostMib} MiB).`);
}

/** Refuses a file that is too large to be sent straight. */
export function checkStraightSize(size: number): void {
  checkFileSize(size);
  if (size > limits.straightFile)
    throw tooLarge("Files of this size are uploaded by a link: see POST /user_uploads/presigned.");
}

const tooLarge = (msg: string) => new ApiError("BAD_REQUEST", msg, { status: 413 });

/** The one file of a request; any other number of them is an error. */
export function onlyFile<T>(files: readonly T[]): T {
  const [file, another] = files;
  if (file === undefined) throw badRequest("You must specify a file to upload");
  if (another !== undefined) throw badRequest("You may only upload one file at a time");
  return file;
}

export const overQuota = () => badRequest("Upload would exceed your organization's upload quota.");
