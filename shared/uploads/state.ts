import type { Caller } from "../identity/caller.ts";
import { getSpaceUsedBytes, listUploads } from "../store/organization/uploads.ts";
import { toAttachmentWire } from "./wire.ts";

/** The reply of `GET /attachments`: the caller's files, and the total bytes of all files of the organization. */
export async function attachmentsState(caller: Pick<Caller, "id">) {
  const [uploads, upload_space_used] = await Promise.all([listUploads(caller.id), getSpaceUsedBytes()]);
  return { attachments: uploads.map(({ upload, claims }) => toAttachmentWire(upload, claims)), upload_space_used };
}
