import { ApiError, badRequest } from "../../base/errors.ts";
import { currentHost } from "../../base/host.ts";
import { limits } from "../../base/limits.ts";
import type { Realm } from "../../services/organization/access.ts";

const bytesPerMib = 1024 * 1024;

/** The organization's quota for all files together; undefined: unlimited. */
export const uploadQuotaBytes = ({ settings: { upload_quota_mib } }: Pick<Realm, "settings">): number | undefined =>
  upload_quota_mib === null ? undefined : upload_quota_mib * bytesPerMib;

/** Throws a 413 for files above the server's maximum size. */
export function checkFileSize(bytes: number): void {
  if (bytes > limits.presignedUploadMib * bytesPerMib)
    throw tooLarge(
      `File is larger than this server's configured maximum upload size (${limits.presignedUploadMib} MiB).`,
    );
}

/** Throws a 413 for files that are too large for a direct upload; most of them can be uploaded by a presigned URL. */
export function checkDirectUploadSize(bytes: number): void {
  checkFileSize(bytes);
  if (bytes > currentHost().maxUploadBytes)
    throw tooLarge("Files of this size are uploaded by a link: see POST /user_uploads/presigned.");
}

const tooLarge = (msg: string) => new ApiError("BAD_REQUEST 413", msg);

/** Returns the only file of a request; throws a 400 if there is none or more than one. */
export function getSingleFile<T>(files: readonly T[]): T {
  const [file, another] = files;
  if (file === undefined) throw badRequest("You must specify a file to upload");
  if (another !== undefined) throw badRequest("You may only upload one file at a time");
  return file;
}

export const overQuota = () => badRequest("Upload would exceed your organization's upload quota.");
