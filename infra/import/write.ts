import { randomUUID } from "node:crypto";
import { batchesOf, mapInBatches } from "../../shared/batches.ts";
import { putFile } from "../../shared/blobs/bucket.ts";
import { detectContent, maxSniffedBytes } from "../../shared/blobs/content-types.ts";
import { uploadFileKey } from "../../shared/blobs/names.ts";
import { type Member, memberWrites, systemGroupWrites } from "../../shared/bootstrap/members.ts";
import { newSubscription } from "../../shared/channels/defaults.ts";
import { checkEmojiName } from "../../shared/emoji/manage.ts";
import { checkPicture, nameOfContent } from "../../shared/emoji/pictures.ts";
import { emojiFile, emojiUrl } from "../../shared/emoji/urls.ts";
import { ApiError } from "../../shared/errors.ts";
import { limits, realmId } from "../../shared/limits.ts";
import type { RenderContext } from "../../shared/markdown/context.ts";
import { renderMarkdown } from "../../shared/markdown/render.ts";
import { indexUpTo } from "../../shared/messages/search/indexing.ts";
import { mentionWrites } from "../../shared/messages/send/mention-index.ts";
import { systemBots } from "../../shared/organization/system-bots.ts";
import { effectiveSettings } from "../../shared/schema/organization-settings.ts";
import { botTypes, roles } from "../../shared/schema/roles.ts";
import { systemGroups } from "../../shared/schema/system-groups.ts";
import { truncateContent } from "../../shared/schema/text.ts";
import { createChannel } from "../../shared/store/channels/channels.ts";
import { createSubscription } from "../../shared/store/channels/subscriptions.ts";
import { replaceTopic } from "../../shared/store/channels/topics.ts";
import { cursors, putCursor } from "../../shared/store/log/cursors.ts";
import { commitNumbered, readHead } from "../../shared/store/log/log.ts";
import { createConversation } from "../../shared/store/messages/conversations.ts";
import { createMessage, type Message } from "../../shared/store/messages/messages.ts";
import { putReactions } from "../../shared/store/messages/reactions.ts";
import { ReadMarks } from "../../shared/store/messages/read-state.ts";
import { createEmoji, listEmoji, type OrganizationEmoji } from "../../shared/store/organization/emoji.ts";
import {
  createImport,
  deleteImport,
  findImport,
  type ImportProgress,
  putImport,
} from "../../shared/store/organization/import.ts";
import { createOrganizationItem, findOrganization } from "../../shared/store/organization/organization.ts";
import {
  addSpaceUsed,
  createClaim,
  createUpload,
  findUploads,
  type Upload,
} from "../../shared/store/organization/uploads.ts";
import { batchWrite, itemsOf } from "../../shared/store/table/bulk.ts";
import { setCounter } from "../../shared/store/table/counters.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import type { Write } from "../../shared/store/table/writes.ts";
import { nowSeconds } from "../../shared/time.ts";
import type { ReportProgress } from "../progress.ts";
import { ArchiveError } from "./archive.ts";
import type { ImportPlan, PlannedFile, PlannedMessage, WrittenSoFar } from "./plan.ts";

/**
 * Writes what an archive becomes, in batches without transactions: an item costs one write unit for each KB instead of two, and
 * nobody can read the organization before its own item, which is written last. All items follow from the archive, so each step can
 * be repeated, and one that was interrupted is. No event is written, so nobody is notified and no webhook is called.
 */

const messagesPerBatch = 500;
/** Of up to 100 MB each. */
const fetchesAtOnce = 3;
const rendersAtOnce = 25;

/** The progress of an import that has been begun; undefined when there is none. Throws when it was begun with another archive. */
export async function findProgress(archive: string): Promise<ImportProgress | undefined> {
  if (await findOrganization())
    throw new ArchiveError(
      "There is an organization already; archives are imported only into a new one. Nothing was changed",
    );
  const progress = await findImport();
  if (progress && progress.archive !== archive)
    throw new ArchiveError(
      "Another archive, or the same one with other options, has been imported here in part; finish that import first",
    );
  return progress;
}

/** Writes the organization. Calls `report` with the number of messages written and indexed, and with twice their number. */
export async function writeImport(
  plan: ImportPlan,
  name: string,
  begun: ImportProgress,
  report: ReportProgress = () => {},
): Promise<ImportProgress> {
  const run: string = randomUUID();
  let progress: ImportProgress = { ...begun, run };
  // Fails if somebody else has begun or continued an import since.
  await transact([begun.run === undefined ? createImport(progress) : putImport(progress, begun.run)], takenOver);
  const save = async (changed: Partial<ImportProgress>) => {
    progress = { ...progress, ...changed };
    await transact([putImport(progress, run)], takenOver);
  };
  // Its writes have no conditions: after another run has finished, they would replace what people have changed since.
  const putAll: PutAll = async (writes) => {
    if ((await findImport())?.run !== run) throw takenOver();
    await batchWrite(itemsOf(writes));
  };
  const members = withSystemBots(plan);
  if (!progress.hasMembers) {
    await writePeopleAndChannels(plan, members, progress.startedAt, putAll);
    await writeEmoji(plan, putAll);
    await save({ hasMembers: true });
  }
  await writeMessages(plan, progress, putAll, save, (count) => report(count, 2 * plan.messageCount));
  await writeSummaries(plan, progress, putAll);
  await indexUpTo(plan.messageCount, (count) => report(plan.messageCount + count, 2 * plan.messageCount));
  const organization = {
    ...{ uuid: randomUUID(), name, stringId: "", createdAt: progress.startedAt, settings: {}, usersVersion: 1 },
    notificationBotId: members.find(({ isSystemBot }) => isSystemBot)?.id as number,
    ownerIds: new Set(
      members.filter(({ role, deactivated }) => role === roles.owner && !deactivated).map(({ id }) => id),
    ),
  };
  await transact([createOrganizationItem(organization), deleteImport(run)], takenOver);
  return progress;
}

/** Progress before anything is written. */
export const newProgress = (archive: string): ImportProgress => ({
  ...{ archive, startedAt: nowSeconds(), hasMembers: false, messages: 0, files: 0, missingFiles: 0, fileBytes: 0 },
});

/** Puts the items that writes leave, unless another run has taken the import over. */
type PutAll = (writes: readonly Write[]) => Promise<void>;

const takenOver = () =>
  new ArchiveError("The same import was begun or continued by another process meanwhile, so that this one has ended");

const withSystemBots = ({ members }: ImportPlan): Member[] => [
  ...members,
  ...systemBots.map((bot, index) => ({
    ...{ ...bot, id: members.length + 1 + index, role: roles.member },
    ...{ botType: botTypes.generic, isSystemBot: true as const },
  })),
];

async function writePeopleAndChannels(plan: ImportPlan, members: readonly Member[], now: number, putAll: PutAll) {
  await putAll(systemGroupWrites());
  for (const batch of batchesOf(members, 500))
    await putAll((await Promise.all(batch.map((member) => memberWrites(member, [], now)))).flat());
  const noFiles = { emoji: [], files: new Set<string>() };
  for (const { channel, stats, subscriberIds } of plan.channels) {
    const { html } = await renderMarkdown(channel.description, contextFor(plan, undefined, noFiles, []));
    await putAll([
      ...createChannel({ ...channel, renderedDescription: html }, stats),
      ...subscriberIds.map((userId) => createSubscription(newSubscription(userId, channel.id, 1))),
    ]);
  }
  await putAll([
    ...plan.conversations.map(createConversation),
    setCounter("user", members.length),
    setCounter("group", systemGroups.length),
    setCounter("channel", plan.channels.length),
    setCounter("recipient", plan.channels.length + plan.conversations.length),
    setCounter("attachment", plan.fileCount),
  ]);
}

async function writeEmoji(plan: ImportPlan, putAll: PutAll): Promise<void> {
  const emoji: OrganizationEmoji[] = [];
  for (const { name, content } of await plan.fetchEmoji()) {
    try {
      const { picture, still } = checkPicture({ name, content }, nameOfContent);
      for (const image of still ? [picture, still] : [picture])
        await putFile(emojiFile(image.name), image.content, image.contentType);
      const stillPath = still && { stillPath: still.name };
      emoji.push({
        ...{ id: emoji.length + 1, name: checkEmojiName(name), path: picture.name, authorId: null, deactivated: false },
        ...stillPath,
      });
      plan.report.comes("custom emoji");
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      plan.report.lacks("custom emoji whose name or picture is not allowed", 1, name);
    }
  }
  await putAll([...emoji.flatMap(createEmoji), setCounter("emoji", emoji.length)]);
}

async function writeMessages(
  plan: ImportPlan,
  begun: ImportProgress,
  putAll: PutAll,
  save: (changed: Partial<ImportProgress>) => Promise<void>,
  report: (count: number) => void,
): Promise<void> {
  const emoji = await listEmoji();
  let { messages, files, missingFiles, fileBytes } = begun;
  let batch: PlannedMessage[] = [];
  const flush = async () => {
    const wanted = batch.flatMap(({ files: own, message }) => own.map((file) => ({ file, message })));
    const stored = await mapInBatches(wanted, fetchesAtOnce, ({ file, message }) => storeFile(plan, file, message));
    // All before the first message: a message may link to a file of another.
    const uploads = new Map(stored.flatMap((upload) => (upload ? [[upload.pathId, upload] as const] : [])));
    const writes = await mapInBatches(batch, rendersAtOnce, (planned) => writesOf(plan, planned, emoji, uploads));
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
    if (planned.message.id <= begun.messages) continue;
    batch.push(planned);
    if (batch.length === messagesPerBatch) await flush();
  }
  if (batch.length > 0) await flush();
  plan.report.comes("files that were fetched", files);
  if (missingFiles > 0)
    plan.report.lacks("files that could not be fetched: they are links to where they were", missingFiles);
}

/** A message, its files and everything that is derived from it. */
async function writesOf(
  plan: ImportPlan,
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
  const written: WrittenSoFar = { emoji, files: new Set(known.map(({ pathId }) => pathId)) };
  const content = planned.content(written);
  const context = contextFor(plan, planned.message.senderId, written, known);
  const [rendered, shown] = await renderWithin(content, context);
  const message: Message = {
    ...{ ...planned.message, content: shown, html: rendered.html },
    ...(rendered.isMeMessage && { isMe: true as const }),
    ...(uploads.length > 0 && { uploads: uploads.map(({ pathId }) => pathId) }),
  };
  const { id: messageId, sentAt } = message;
  const reactions = planned
    .reactions(written)
    .slice(0, limits.emojiPerMessage)
    .flatMap(({ emoji: one, userIds }) => userIds.map((userId) => ({ ...one, userId })));
  return [
    ...createMessage(message),
    ...mentionWrites(message, rendered.mentionedUserIds),
    ...(reactions.length > 0 ? [putReactions(messageId, reactions.slice(0, limits.reactionsPerMessage), 1)] : []),
    ...uploads.flatMap((upload) => [createUpload(upload), ...createClaim(upload, { messageId, sentAt })]),
  ];
}

/** Renders a text; if its HTML is too long, the text is shown as it is. */
async function renderWithin(content: string, context: RenderContext) {
  const rendered = await renderMarkdown(content, context);
  if (Buffer.byteLength(rendered.html) <= limits.renderedBytes) return [rendered, content] as const;
  const fence = "~~~~~~~~";
  const text = truncateContent(content.replaceAll(fence, ""), limits.messageLength - 2 * fence.length - 2);
  const plain = `${fence}\n${text}\n${fence}`;
  return [await renderMarkdown(plain, context), plain] as const;
}

async function storeFile(
  plan: ImportPlan,
  file: PlannedFile,
  { senderId: ownerId, sentAt }: Pick<Message, "senderId" | "sentAt">,
): Promise<Upload | undefined> {
  const content = await plan.fetchFile(file);
  if (!content) return undefined;
  const { id, pathId, name } = file;
  const detected = detectContent(content.subarray(0, maxSniffedBytes), name);
  await putFile(uploadFileKey(pathId), content, detected.contentType);
  return { id, ownerId, pathId, name, size: content.length, ...detected, createdAt: sentAt * 1000, claims: 0 };
}

/** Everything that follows from all messages together. Everybody has read everything. */
async function writeSummaries(plan: ImportPlan, { fileBytes }: ImportProgress, putAll: PutAll): Promise<void> {
  const { messageCount, members, topics } = plan;
  for (const batch of batchesOf(topics, 1000)) await putAll(batch.map((topic) => replaceTopic(undefined, topic)));
  const marks = new ReadMarks();
  marks.markRange(1, messageCount);
  const people = members.filter(({ botType }) => botType === undefined);
  for (const batch of batchesOf(people, 200)) await putAll(batch.flatMap(({ id }) => marks.writes(id)));
  await putAll([
    addSpaceUsed(fileBytes),
    putCursor(cursors.search, { sequence: 0, leasedUntil: 0, message: messageCount }),
  ]);
  // The next message gets the next ID.
  const { message: reserved } = await readHead();
  if (reserved < messageCount) await commitNumbered({ messages: messageCount - reserved }, () => ({}));
}

/** What the renderer needs, from the plan: the table's indexes may lag behind. */
function contextFor(
  { members, channels }: ImportPlan,
  authorId: number | undefined,
  { emoji }: WrittenSoFar,
  uploads: readonly Upload[],
): RenderContext {
  const settings = effectiveSettings({});
  return {
    realmId,
    emptyTopicDisplayName: settings.empty_topic_display_name,
    previewsMedia: settings.inline_image_preview,
    defaultCodeLanguage: settings.default_code_block_language,
    findUsers: async () => [],
    findUsersById: async (ids) =>
      ids.flatMap((id) => {
        const member = members[id - 1];
        return member ? [{ id, fullName: member.fullName, isDeactivated: member.deactivated === true }] : [];
      }),
    findGroups: async () => [],
    findChannels: async (names) => {
      const wanted = new Set(names.map((one) => one.toLowerCase()));
      return channels
        .filter(({ channel }) => wanted.has(channel.name.toLowerCase()))
        .filter(
          ({ channel, subscriberIds }) =>
            !channel.inviteOnly || (authorId !== undefined && subscriberIds.includes(authorId)),
        )
        .map(({ channel }) => channel);
    },
    latestMessageIdInTopic: async (wanted) => wanted.map(() => undefined),
    realmEmoji: async () =>
      emoji.map(({ id, name, path, stillPath }) => ({
        ...{ id: String(id), name, sourceUrl: emojiUrl(path) },
        stillUrl: stillPath === undefined ? null : emojiUrl(stillPath),
      })),
    linkifiers: async () => [],
    uploads: async (paths) =>
      paths.flatMap((path) => {
        const upload = uploads.find(({ pathId }) => `/user_uploads/${pathId}` === decodeURIComponent(path));
        if (!upload) return [];
        const { contentType, width, height } = upload;
        return [{ path, contentType, ...(width !== undefined && height !== undefined && { width, height }) }];
      }),
  };
}
