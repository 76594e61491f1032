import type { Caller } from "../identity/caller.ts";
import type { Realm } from "../organization/access.ts";
import { findSpaceUsed, listUploads } from "../store/organization/uploads.ts";
import { toAttachmentWire } from "./wire.ts";

/** A user's files, and the total bytes of all files of the organization. */
export async function attachmentsState(caller: Pick<Caller, "id">) {
  const [uploads, upload_space_used] = await Promise.all([listUploads(caller.id), findSpaceUsed()]);
  return { attachments: uploads.map(({ upload, claims }) => toAttachmentWire(upload, claims)), upload_space_used };
}

/** The organization's upload limits in the initial state. */
export const uploadQuotaState = ({ settings }: Pick<Realm, "settings">) => ({
  realm_upload_quota_mib: settings.upload_quota_mib,
});
