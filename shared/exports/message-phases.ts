import { getFile } from "../blobs/bucket.ts";
import { uploadFileKey } from "../blobs/names.ts";
import { findCachedProfiles } from "../identity/profiles.ts";
import { readMessageDetails } from "../messages/fetch/present-messages.ts";
import { type MessageView, toMessageWire } from "../messages/wire.ts";
import { findMessages, type Message } from "../store/messages/messages.ts";
import { findUpload, findUploads, listClaims, type Upload } from "../store/organization/uploads.ts";
import { toAttachmentWire } from "../uploads/wire.ts";
import type { Context } from "./context.ts";
import { type ArchiveEntry, jsonEntry, type Page, type Phase } from "./page.ts";

const idsPerBatch = 500;
/** The maximum bytes of files in memory; larger files are copied in pieces. */
const maxBytesInMemory = 4 * 1024 * 1024;

const allPrevious = { messageBytes: Number.POSITIVE_INFINITY, totalBytes: Number.POSITIVE_INFINITY };

async function messagesFrom(first: number, { lastMessageId, scope }: Context): Promise<Message[]> {
  const count = Math.max(0, Math.min(idsPerBatch, lastMessageId - first + 1));
  return scope.filterMessages(await findMessages(Array.from({ length: count }, (_, index) => first + index)));
}

/** Messages in the form of the API, with their Markdown, their HTML and the attachments that they link. */
export const messagesPhase: Phase = async (at, context) => {
  const messages = await messagesFrom(at + 1, context);
  const next = at + idsPerBatch < context.lastMessageId ? at + idsPerBatch : undefined;
  if (messages.length === 0) return { entries: [], next };
  const [users, details, attachments] = await Promise.all([
    findCachedProfiles(
      messages.flatMap(({ senderId, userIds = [] }) => [senderId, ...userIds]),
      context.realm.usersVersion,
    ),
    readMessageDetails(messages, allPrevious),
    attachmentsOf(messages),
  ]);
  const channels = messages.flatMap(({ channelId }) => {
    const channel = channelId === undefined ? undefined : context.scope.channel(channelId);
    return channel ? [[channel.id, channel] as const] : [];
  });
  const view: MessageView = {
    ...{ realm: context.realm, applyMarkdown: false, clientGravatar: false, allowEmptyTopicName: true },
    ...{ users, channels: new Map(channels), details },
  };
  const messageObjects = messages.map((message) => ({
    ...toMessageWire(message, view),
    rendered_content: message.html,
  }));
  const name = String(at + 1).padStart(9, "0");
  return { entries: [jsonEntry(`messages/messages-${name}.json`, { messages: messageObjects, attachments })], next };
};

async function attachmentsOf(messages: readonly Message[]) {
  const paths = [...new Set(messages.flatMap(({ uploads = [] }) => uploads))];
  const found = (await findUploads(paths)).filter((upload) => upload !== undefined);
  return found.map((upload) => {
    const { messages: _, ...record } = toAttachmentWire(upload, []);
    return { ...record, owner_id: upload.ownerId, content_type: upload.contentType };
  });
}

/**
 * The files that messages link, each with the first message of the export that links it. Skips the first `skip` files of
 * the first message, which are already written.
 */
export const filesPhase: Phase = async (at, context, skip) => {
  const messages = await messagesFrom(at + 1, context);
  const entries: ArchiveEntry[] = [];
  let bytesInMemory = 0;
  for (const message of messages) {
    const skippedCount = message.id === at + 1 ? skip : 0;
    for (const [index, pathId] of (message.uploads ?? []).entries()) {
      if (index < skippedCount) continue;
      const resumeAt = { next: message.id - 1, skip: index };
      const upload = await findUpload(pathId);
      if (!upload || !(await isFirstLink(upload, message, context))) continue;
      const path = `uploads/${pathId}`;
      if (upload.size > maxBytesInMemory) {
        const copy = { path, file: uploadFileKey(pathId), size: upload.size };
        return { entries, copy, ...resumeAt, skip: index + 1 } satisfies Page;
      }
      if (bytesInMemory + upload.size > maxBytesInMemory) return { entries, ...resumeAt };
      const found = await getFile(uploadFileKey(pathId));
      if (found) entries.push({ path, content: Buffer.from(found.content) });
      bytesInMemory += upload.size;
    }
  }
  return { entries, next: at + idsPerBatch < context.lastMessageId ? at + idsPerBatch : undefined };
};

const claimsPerPage = 25;

/** Whether no earlier message of the export links the file. */
async function isFirstLink(upload: Upload, message: Message, { scope }: Context): Promise<boolean> {
  if (upload.claims <= 1) return true;
  for (let before = message.id; ; ) {
    const claims = await listClaims(upload.pathId, claimsPerPage, before);
    const earlier = await findMessages(claims.map(({ messageId }) => messageId));
    if ((await scope.filterMessages(earlier)).length > 0) return false;
    if (claims.length < claimsPerPage) return true;
    before = claims.at(-1)?.messageId ?? 0;
  }
}
