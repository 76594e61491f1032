import type { Realm } from "../organization/access.ts";
import { listUploads, spaceUsed } from "../store/uploads.ts";
import type { Caller } from "../users/caller.ts";
import { wireAttachment } from "./wire.ts";

/** A user's own files, and how much all files of the organization take. */
export async function attachmentsState(caller: Pick<Caller, "id">) {
  const [uploads, upload_space_used] = await Promise.all([listUploads(caller.id), spaceUsed()]);
  return { attachments: uploads.map(({ upload, claims }) => wireAttachment(upload, claims)), upload_space_used };
}

/** What a client that registers is told of the organization's room for files. */
export const uploadQuotaState = ({ settings }: Pick<Realm, "settings">) => ({
  realm_upload_quota_mib: settings.upload_quota_mib,
});
