import { batchesOf, mapInBatches } from "../../base/batches.ts";
import { creationLimits } from "../../base/creation-limits.ts";
import { limits } from "../../base/limits.ts";
import { truncateContent } from "../../base/schema/text.ts";
import { RenderLimitError } from "../../core/markdown/budget.ts";
import type { RenderContext } from "../../core/markdown/context.ts";
import { renderMarkdown } from "../../core/markdown/render.ts";
import { widgetOf } from "../../core/markdown/widgets.ts";
import { boundedTopicLinks } from "../../messaging/messages/render/render.ts";
import { mentionWrites } from "../../messaging/messages/send/mention-index.ts";
import { widgetSubmessage } from "../../messaging/messages/send/widget-content.ts";
import { loadUploadMetadata } from "../../messaging/uploads/link-metadata.ts";
import { detectContent, maxSniffedBytes } from "../../services/blobs/content-types.ts";
import { uploadFileKey } from "../../services/blobs/names.ts";
import { createPreviousContent } from "../../store/messages/edits.ts";
import { addImportedFlags } from "../../store/messages/message-flags.ts";
import { createMessage, type Message } from "../../store/messages/messages.ts";
import { putReactions } from "../../store/messages/reactions.ts";
import { ReadMarks, segmentIds } from "../../store/messages/read-state.ts";
import { createScheduledMessage } from "../../store/messages/scheduled-messages.ts";
import { createSubmessage } from "../../store/messages/submessages.ts";
import { listEmoji, type OrganizationEmoji } from "../../store/organization/emoji.ts";
import type { ImportProgress } from "../../store/organization/import.ts";
import { createClaim, createUpload, findUploads, type Upload } from "../../store/organization/uploads.ts";
import { withConsistentReads } from "../../store/table/consistency.ts";
import type { Write } from "../../store/table/writes.ts";
import type { ImportPlan, PlannedFile, PlannedMessage, WrittenSoFar } from "./plan.ts";
import type { RenderContexts } from "./render-context.ts";
import type { StoredFiles } from "./stored-files.ts";

/** Puts the items that writes leave, unless another run has taken the import over. */
export type PutAll = (writes: readonly Write[]) => Promise<void>;

/** What writing messages needs. */
export interface MessageWriter {
  plan: ImportPlan;
  contexts: RenderContexts;
  files: StoredFiles;
  putAll: PutAll;
}

const messagesPerBatch = 500;
/** Of up to 100 MB each. */
const fetchesAtOnce = 3;
const rendersAtOnce = 25;

/** Writes the messages that have not been written yet, with their files and everything that belongs to them. */
export async function writeMessages(
  writer: MessageWriter,
  begun: ImportProgress,
  save: (changed: Partial<ImportProgress>) => Promise<void>,
  report: (count: number) => void,
): Promise<void> {
  const { plan, putAll } = writer;
  const emoji = await listEmoji();
  const marks = new MarksWriter(plan, begun.messages, putAll);
  let { messages, files, missingFiles, fileBytes } = begun;
  let batch: PlannedMessage[] = [];
  const flush = async () => {
    const wanted = batch.flatMap(({ files: own, message }) => own.map((file) => ({ file, message })));
    const stored = await mapInBatches(wanted, fetchesAtOnce, ({ file, message }) => storeFile(writer, file, message));
    // All before the first message: a message may link to a file of another.
    const uploads = new Map(stored.flatMap((upload) => (upload ? [[upload.pathId, upload] as const] : [])));
    const writes = await mapInBatches(batch, rendersAtOnce, (planned) => writesOf(writer, planned, emoji, uploads));
    await putAll(writes.flat());
    files += uploads.size;
    fileBytes += [...uploads.values()].reduce((sum, { size }) => sum + size, 0);
    missingFiles += wanted.length - uploads.size;
    messages = batch.at(-1)?.message.id ?? messages;
    // Only now: a process that dies before repeats the batch.
    await save({ messages, files, missingFiles, fileBytes });
    report(messages);
    batch = [];
  };
  for (const planned of plan.messages()) {
    if (marks.isFull(planned)) {
      if (batch.length > 0) await flush();
      await marks.write();
    }
    marks.add(planned);
    if (planned.message.id <= begun.messages) continue;
    batch.push(planned);
    if (batch.length === messagesPerBatch) await flush();
  }
  if (batch.length > 0) await flush();
  await marks.write();
  if (writer.files.stores) plan.report.comes(fetched, files);
  if (missingFiles > 0) plan.report.lacks(notFetched, missingFiles);
}

const fetched = "files that were fetched";
const notFetched = "files that could not be fetched: they are links to where they were";

/**
 * Writes scheduled messages, after the messages that may have the same files. Returns the bytes of the files that only scheduled
 * messages have, each of which is kept until after the last of these.
 */
export async function writeScheduledMessages(writer: MessageWriter, startedAt: number): Promise<number> {
  const { plan, contexts, putAll } = writer;
  const { scheduledMessages, scheduledFiles } = plan.details;
  const emoji = await listEmoji();
  let bytes = 0;
  const uploads = await mapInBatches(scheduledFiles, fetchesAtOnce, async (file) => {
    const upload = await storeFile(writer, file, { senderId: file.ownerId, sentAt: startedAt });
    if (!upload) {
      plan.report.lacks(notFetched);
      return [];
    }
    if (writer.files.stores) plan.report.comes(fetched);
    bytes += upload.size;
    return [createUpload({ ...upload, claims: 0 }, Math.max(file.keptUntil, startedAt) * 1000)];
  });
  await putAll(uploads.flat());
  const messages = await mapInBatches(scheduledMessages, rendersAtOnce, async (message) => {
    const context = { ...contexts.for(message.userId, emoji), uploads: loadUploadMetadata };
    const { html } = await withConsistentReads(() => renderMarkdown(message.content, context));
    return createScheduledMessage({ ...message, html });
  });
  await putAll(messages);
  return bytes;
}

/**
 * Writes who has read what, a segment of IDs after another, because the marks of all people and messages together may exceed
 * memory. A segment is written before the first message after it is, so that an import that is continued need not repeat it.
 */
class MarksWriter {
  readonly #people: number[];
  readonly #messageCount: number;
  readonly #writtenBefore: number;
  readonly #putAll: PutAll;
  #segment = 0;
  /** For each person, a bit for each ID of the segment. */
  #unread = new Map<number, Uint8Array>();

  constructor({ members, messageCount }: ImportPlan, writtenBefore: number, putAll: PutAll) {
    this.#people = members.flatMap(({ id, botType }) => (botType === undefined ? id : []));
    this.#messageCount = messageCount;
    this.#writtenBefore = writtenBefore;
    this.#putAll = putAll;
  }

  /** Whether the message is the first after the segment. */
  isFull({ message: { id } }: PlannedMessage): boolean {
    return Math.floor(id / segmentIds) !== this.#segment;
  }

  add({ message: { id }, unreadBy = [] }: PlannedMessage): void {
    const at = id % segmentIds;
    for (const userId of unreadBy) {
      const bits = this.#unread.get(userId) ?? new Uint8Array(segmentIds / 8);
      this.#unread.set(userId, bits);
      bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7));
    }
  }

  async write(): Promise<void> {
    const [first, next] = [this.#segment * segmentIds, (this.#segment + 1) * segmentIds];
    const unread = this.#unread;
    this.#unread = new Map();
    this.#segment++;
    if (this.#writtenBefore >= next) return;
    for (const batch of batchesOf(this.#people, 200))
      await this.#putAll(
        batch.flatMap((userId) => {
          const marks = new ReadMarks();
          const last = Math.min(this.#messageCount, next - 1);
          let from = Math.max(1, first);
          for (const at of bits(unread.get(userId))) {
            marks.markRange(from, first + at - 1);
            from = first + at + 1;
          }
          marks.markRange(from, last);
          return marks.writes(userId);
        }),
      );
  }
}

/** The positions of the bits that are set. */
function* bits(bytes: Uint8Array = new Uint8Array()): Generator<number> {
  for (const [index, byte] of bytes.entries())
    for (let bit = 0; byte >> bit; bit++) if ((byte >> bit) & 1) yield index * 8 + bit;
}

/** A message, its files and everything that is derived from it. */
async function writesOf(
  { plan, contexts }: MessageWriter,
  planned: PlannedMessage,
  emoji: readonly OrganizationEmoji[],
  uploadsOfBatch: ReadonlyMap<string, Upload>,
): Promise<Write[]> {
  const uploads = planned.files.flatMap(({ pathId }) => uploadsOfBatch.get(pathId) ?? []);
  const earlier = planned.linkedPathIds.filter((pathId) => !uploadsOfBatch.has(pathId));
  const known = [
    ...uploads,
    ...planned.linkedPathIds.flatMap((pathId) => uploadsOfBatch.get(pathId) ?? []),
    ...(earlier.length > 0 ? await findUploads(earlier) : []).filter((upload) => upload !== undefined),
  ];
  const shared = known.filter(({ pathId }) => planned.sharedPathIds?.includes(pathId));
  const written: WrittenSoFar = { emoji, files: new Set(known.map(({ pathId }) => pathId)) };
  const content = planned.content(written);
  const context = contexts.for(planned.message.senderId, emoji, known);
  const [rendered, shown] = await renderWithin(content, context);
  const { topic } = planned.message;
  const topicLinks = topic === undefined ? undefined : await boundedTopicLinks(topic, plan.details.linkifiers);
  const widget = planned.submessages?.length === 0 ? widgetOf(shown) : undefined;
  const message: Message = {
    ...{ ...planned.message, content: shown, html: rendered.html },
    ...(rendered.isMeMessage && { isMe: true as const }),
    ...(topicLinks && { topicLinks }),
    ...(uploads.length + shared.length > 0 && { uploads: [...uploads, ...shared].map(({ pathId }) => pathId) }),
    ...((widget || planned.submessages?.length) && { hasSubmessages: true as const }),
    ...(planned.flags?.some(({ flags }) => flags.includes("starred")) && { hasStars: true as const }),
  };
  const { id: messageId, sentAt } = message;
  const submessages = widget
    ? [widgetSubmessage(message, widget, 1)]
    : (planned.submessages ?? []).map((submessage, index) => ({ ...submessage, id: index + 1 }));
  const reactions = planned
    .reactions(written)
    .slice(0, limits.emojiPerMessage)
    .flatMap(({ emoji: one, userIds }) => userIds.map((userId) => ({ ...one, userId })));
  const formerTexts = await Promise.all(
    (planned.formerTexts ?? []).map(async ({ number, content: former }) => {
      const [{ html }, text] = await renderWithin(former, context);
      return createPreviousContent({ messageId, number, content: text, html });
    }),
  );
  return [
    ...createMessage(message),
    ...mentionWrites(message, rendered.mentionedUserIds),
    ...(planned.flags ?? []).map(({ userId, flags }) => addImportedFlags(userId, message, flags)),
    ...(reactions.length > 0 ? [putReactions(messageId, reactions.slice(0, creationLimits.reaction.max))] : []),
    ...uploads.flatMap((upload) => [createUpload(upload), ...createClaim(upload, { messageId, sentAt })]),
    // The file's own item counts these already.
    ...shared.flatMap((upload) => createClaim(upload, { messageId, sentAt }).slice(1)),
    ...submessages.map(createSubmessage),
    ...formerTexts,
  ];
}

/** Renders a text; if it exceeds the limits of a message, it becomes code, which is shown as it is written. */
async function renderWithin(content: string, context: RenderContext) {
  try {
    return [await renderMarkdown(content, context), content] as const;
  } catch (error) {
    if (!(error instanceof RenderLimitError)) throw error;
  }
  const fence = "~~~~~~~~";
  const text = truncateContent(content.replaceAll(fence, ""), limits.messageLength - 2 * fence.length - 2);
  const plain = `${fence}\n${text}\n${fence}`;
  return [await renderMarkdown(plain, context), plain] as const;
}

async function storeFile(
  { plan, files }: MessageWriter,
  file: PlannedFile,
  { senderId, sentAt }: Pick<Message, "senderId" | "sentAt">,
): Promise<Upload | undefined> {
  const content = await plan.fetchFile(file);
  if (!content) return undefined;
  const { id, pathId, name, ownerId = senderId, createdAt = sentAt, claims = 1 } = file;
  const detected = detectContent(content.subarray(0, maxSniffedBytes), name);
  await files.put(uploadFileKey(pathId), content, detected.contentType);
  // The message's own claim is counted when it is written.
  return {
    ...{ id, ownerId, pathId, name, size: content.length, ...detected },
    ...{ createdAt: createdAt * 1000, claims: claims - 1 },
  };
}
