import type { LoggedEvent } from "../store/log.ts";
import type { Claim, Upload } from "../store/uploads.ts";
import { wireAttachment } from "./wire.ts";

const toOwner = (ownerId: number, op: string, attachment: unknown, spaceUsed: number): LoggedEvent => ({
  audience: { kind: "users", userIds: [ownerId] },
  event: { type: "attachment", op, attachment, upload_space_used: spaceUsed },
});

/** What a file's owner is told of it; `spaceUsed`: bytes of all files after the change. */
export const attachmentAdded = (upload: Upload, spaceUsed: number) =>
  toOwner(upload.ownerId, "add", wireAttachment(upload, []), spaceUsed);

export const attachmentUpdated = (upload: Upload, claims: readonly Claim[], spaceUsed: number) =>
  toOwner(upload.ownerId, "update", wireAttachment(upload, claims), spaceUsed);

export const attachmentRemoved = ({ id, ownerId }: Upload, spaceUsed: number) =>
  toOwner(ownerId, "remove", { id }, spaceUsed);
