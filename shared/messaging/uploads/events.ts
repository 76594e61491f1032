import { eventForUser } from "../../store/log/entry.ts";
import type { Claim, Upload } from "../../store/organization/uploads.ts";
import { toAttachmentWire } from "./wire.ts";

/** Logged events for a file's owner; `spaceUsed` is the total bytes of all files after the change. */
export const attachmentAddedEvent = (upload: Upload, spaceUsed: number) =>
  eventForUser(upload.ownerId, {
    type: "attachment",
    op: "add",
    attachment: toAttachmentWire(upload, []),
    upload_space_used: spaceUsed,
  });

export const attachmentUpdatedEvent = (upload: Upload, claims: readonly Claim[], spaceUsed: number) =>
  eventForUser(upload.ownerId, {
    type: "attachment",
    op: "update",
    attachment: toAttachmentWire(upload, claims),
    upload_space_used: spaceUsed,
  });

export const attachmentRemovedEvent = ({ id, ownerId }: Upload, spaceUsed: number) =>
  eventForUser(ownerId, { type: "attachment", op: "remove", attachment: { id }, upload_space_used: spaceUsed });
