import { trailingItems } from "../../services/http/reply-size.ts";
import type { Caller } from "../../services/identity/caller.ts";
import { getSpaceUsedBytes, listUploads } from "../../store/organization/uploads.ts";
import { toAttachmentWire } from "./wire.ts";

/** A reply lists at most this many of the messages that link to a file, the newest, as an event does. */
const maxListedMessages = 1000;

/**
 * The reply of `GET /attachments`: the caller's newest files, as many as fit, and the total bytes of all files of the
 * organization.
 */
export async function attachmentsState(caller: Pick<Caller, "id">) {
  const [uploads, upload_space_used] = await Promise.all([listUploads(caller.id), getSpaceUsedBytes()]);
  const attachments = uploads.map(({ upload, claims }) => toAttachmentWire(upload, claims.slice(-maxListedMessages)));
  return { attachments: trailingItems(attachments), upload_space_used };
}
