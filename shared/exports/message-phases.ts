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

/** The number of message IDs that are read in one batch. */
const idsAtOnce = 500;
/** The maximum bytes of files in memory; larger files are copied in pieces. */
const bytesAtOnce = 4 * 1024 * 1024;

async function messagesFrom(first: number, { lastMessageId, scope }: Context): Promise<Message[]> {
  const count = Math.max(0, Math.min(idsAtOnce, lastMessageId - first + 1));
  return scope.among(await findMessages(Array.from({ length: count }, (_, index) => first + index)));
}

/** Messages in the form of the API, with their Markdown, their HTML and the attachments that they link. */
export const messagesPhase: Phase = async (at, context) => {
  const messages = await messagesFrom(at + 1, context);
  const next = at + idsAtOnce < context.lastMessageId ? at + idsAtOnce : undefined;
  if (messages.length === 0) return { entries: [], next };
  const [users, beside, attachments] = await Promise.all([
    findCachedProfiles(
      messages.flatMap(({ senderId, userIds = [] }) => [senderId, ...userIds]),
      context.realm.usersVersion,
    ),
    readMessageDetails(messages),
    attachmentsOf(messages),
  ]);
  const channels = messages.flatMap(({ channelId }) => {
    const channel = channelId === undefined ? undefined : context.scope.channel(channelId);
    return channel ? [[channel.id, channel] as const] : [];
  });
  const view: MessageView = {
    ...{ realm: context.realm, applyMarkdown: false, clientGravatar: false, allowEmptyTopicName: true },
    ...{ users, channels: new Map(channels), details: beside },
  };
  const shown = messages.map((message) => ({ ...toMessageWire(message, view), rendered_content: message.html }));
  const name = String(at + 1).padStart(9, "0");
  return { entries: [jsonEntry(`messages/messages-${name}.json`, { messages: shown, attachments })], next };
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
  let held = 0;
  for (const message of messages) {
    const begin = message.id === at + 1 ? skip : 0;
    for (const [index, pathId] of (message.uploads ?? []).entries()) {
      if (index < begin) continue;
      const resumeAt = { next: message.id - 1, skip: index };
      const upload = await findUpload(pathId);
      if (!upload || !(await isFirst(upload, message, context))) continue;
      const path = `uploads/${pathId}`;
      if (upload.size > bytesAtOnce) {
        const copy = { path, file: uploadFileKey(pathId), size: upload.size };
        return { entries, copy, ...resumeAt, skip: index + 1 } satisfies Page;
      }
      if (held + upload.size > bytesAtOnce) return { entries, ...resumeAt };
      const found = await getFile(uploadFileKey(pathId));
      if (found) entries.push({ path, content: Buffer.from(found.content) });
      held += upload.size;
    }
  }
  return { entries, next: at + idsAtOnce < context.lastMessageId ? at + idsAtOnce : undefined };
};

const claimsAtOnce = 25;

/** Whether no earlier message of the export links the file. */
async function isFirst(upload: Upload, message: Message, { scope }: Context): Promise<boolean> {
  if (upload.claims <= 1) return true;
  for (let before = message.id; ; ) {
    const claims = await listClaims(upload.pathId, claimsAtOnce, before);
    const earlier = await findMessages(claims.map(({ messageId }) => messageId));
    if ((await scope.among(earlier)).length > 0) return false;
    if (claims.length < claimsAtOnce) return true;
    before = claims.at(-1)?.messageId ?? 0;
  }
}
