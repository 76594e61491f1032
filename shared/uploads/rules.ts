import { ApiError, badRequest } from "../errors.ts";
import { limits } from "../limits.ts";
import type { Realm } from "../organization/access.ts";
import { findSpaceUsed } from "../store/organization/uploads.ts";

const mib = 1024 * 1024;

/** The quota for all files together; undefined for no limit. */
export const uploadQuotaBytes = ({ settings: { upload_quota_mib } }: Pick<Realm, "settings">): number | undefined =>
  upload_quota_mib === null ? undefined : upload_quota_mib * mib;

/** Refuses files above the server's maximum size. */
export function checkFileSize(size: number): void {
  if (size > limits.presignedUploadMib * mib)
    throw tooLarge(
      `File is larger than this server's configured maximum upload size (${limits.presignedUploadMib} MiB).`,
    );
}

/** Refuses files that are too large for a direct upload and need a presigned URL. */
export function checkDirectUploadSize(size: number): void {
  checkFileSize(size);
  if (size > limits.maxLambdaFileBytes)
    throw tooLarge("Files of this size are uploaded by a link: see POST /user_uploads/presigned.");
}

const tooLarge = (msg: string) => new ApiError("BAD_REQUEST 413", msg);

/** Returns the single file of a request; any other number is an error. */
export function getSingleFile<T>(files: readonly T[]): T {
  const [file, another] = files;
  if (file === undefined) throw badRequest("You must specify a file to upload");
  if (another !== undefined) throw badRequest("You may only upload one file at a time");
  return file;
}

/** Refuses a file above the quota; concurrent uploads are decided by a condition of the transaction. */
export async function checkQuota(size: number, realm: Pick<Realm, "settings">): Promise<void> {
  const quota = uploadQuotaBytes(realm);
  if (quota !== undefined && (await findSpaceUsed()) + size > quota) throw overQuota();
}

export const overQuota = () => badRequest("Upload would exceed your organization's upload quota.");
