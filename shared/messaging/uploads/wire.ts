import { int, list, strictObject, text, type Value } from "../../base/schema/params.ts";
import type { Claim, Upload } from "../../store/organization/uploads.ts";

/** The attachment object; times are in milliseconds. See https://zulip.com/api/get-attachments. */
export const attachmentObject = strictObject({
  id: int(),
  name: text(),
  path_id: text(),
  size: int(),
  create_time: int(),
  messages: list(strictObject({ id: int(), date_sent: int() })),
});

export const toAttachmentWire = (upload: Upload, claims: readonly Claim[]): Value<typeof attachmentObject> => ({
  id: upload.id,
  name: upload.name,
  path_id: upload.pathId,
  size: upload.size,
  create_time: upload.createdAt,
  messages: claims
    .map(({ messageId, sentAt }) => ({ id: messageId, date_sent: sentAt * 1000 }))
    .sort((a, b) => a.id - b.id),
});

/** A file's URL, relative to the server. */
export const uploadUrl = ({ pathId }: Pick<Upload, "pathId">) => `/user_uploads/${pathId}`;
