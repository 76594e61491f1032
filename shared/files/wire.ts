import { exactly, int, list, text, type Value } from "../http/params.ts";
import type { Claim, Upload } from "../store/uploads.ts";

/** The record of an attachment (companion reference, B 4.16); times are milliseconds. */
export const attachmentObject = exactly({
  id: int(),
  name: text(),
  path_id: text(),
  size: int(),
  create_time: int(),
  messages: list(exactly({ id: int(), date_sent: int() })),
});

export const wireAttachment = (upload: Upload, claims: readonly Claim[]): Value<typeof attachmentObject> => ({
  id: upload.id,
  name: upload.name,
  path_id: upload.pathId,
  size: upload.size,
  create_time: upload.createdAt,
  messages: claims
    .map(({ messageId, sentAt }) => ({ id: messageId, date_sent: sentAt * 1000 }))
    .sort((a, b) => a.id - b.id),
});

/** Where clients find a file, below the server's address. */
export const uploadUrl = ({ pathId }: Pick<Upload, "pathId">) => `/user_uploads/${pathId}`;
