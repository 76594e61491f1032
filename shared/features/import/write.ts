import { randomUUID } from "node:crypto";
import { batchesOf } from "../../base/batches.ts";
import { ApiError } from "../../base/errors.ts";
import type { ReportProgress } from "../../base/progress.ts";
import { botTypes, roles } from "../../base/schema/roles.ts";
import { systemGroups } from "../../base/schema/system-groups.ts";
import { nowSeconds } from "../../base/time.ts";
import { checkEmojiName } from "../../core/emoji/manage.ts";
import { checkPicture, nameOfContent } from "../../core/emoji/pictures.ts";
import { emojiFile } from "../../core/emoji/urls.ts";
import { indexUpTo } from "../../messaging/messages/search/indexing.ts";
import { outboxJob } from "../../services/jobs/outbox.ts";
import { systemBots } from "../../services/organization/system-bots.ts";
import { createChannel } from "../../store/channels/channels.ts";
import { createSubscription, updateSubscription } from "../../store/channels/subscriptions.ts";
import { replaceTopic } from "../../store/channels/topics.ts";
import { cursors, putCursor } from "../../store/log/cursors.ts";
import { commitNumbered, readHead } from "../../store/log/log.ts";
import { createConversation } from "../../store/messages/conversations.ts";
import { createEmoji, type OrganizationEmoji } from "../../store/organization/emoji.ts";
import { createGroup, type Group, setSubgroupsInGraph } from "../../store/organization/groups.ts";
import {
  createImport,
  deleteImport,
  findImport,
  type ImportProgress,
  putImport,
  type ReplacedOrganization,
} from "../../store/organization/import.ts";
import { closeOrganization, createOrganizationItem, type Organization } from "../../store/organization/organization.ts";
import { addSpaceUsed } from "../../store/organization/uploads.ts";
import { batchWrite, itemsOf } from "../../store/table/bulk.ts";
import { setCounter } from "../../store/table/counters.ts";
import { followUpWrites } from "../../store/table/follow-ups.ts";
import { transact } from "../../store/table/transactions.ts";
import { type Write, withRefusal } from "../../store/table/writes.ts";
import { type Member, memberWrites, systemGroupWrites } from "../bootstrap/members.ts";
import { mailResetLinkJob } from "../joining/jobs.ts";
import { ArchiveError } from "./archive.ts";
import { forgetFinished, forgetFormer } from "./give-up.ts";
import { hasRealAddress, type ImportPlan } from "./plan.ts";
import { RenderContexts } from "./render-context.ts";
import { renderDescription } from "./render-description.ts";
import { clearTable, findReplaceable, findUnusedAccount } from "./replaced.ts";
import { type StoredFiles, storedFiles } from "./stored-files.ts";
import { withProfileHtml, writeDetails, writePictures } from "./write-details.ts";
import { type MessageWriter, type PutAll, writeMessages, writeScheduledMessages } from "./write-messages.ts";

/**
 * Writes what an archive becomes, in batches without transactions: an item costs one write unit for each KB instead of two, and
 * nobody can read the organization before its own item, which is written last. All items follow from the archive, so each step can
 * be repeated, and one that was interrupted is. No event is written, so nobody is notified and no webhook is called.
 */

/**
 * The progress of an import of an archive: of one that has been begun, or of one that can begin here. Throws when another archive
 * was begun, or when there is an organization that people have used.
 */
export async function findProgress(archive: string): Promise<ImportProgress> {
  const replaces = await findReplaceable();
  const found = replaces ? undefined : await findImport();
  const progress = found?.isOver ? undefined : found;
  if (progress?.givenUpAt !== undefined)
    throw new ArchiveError("An import is being given up here: repeat npm run import -- --give-up until it has ended");
  if (!progress) return { ...newProgress(archive), ...(replaces && { replaces }) };
  // Of a closed organization, nothing has been written or deleted.
  const isBegun = progress.archive !== archive && (!progress.replaces || progress.replaces.account !== undefined);
  if (isBegun)
    throw new ArchiveError(
      "Another archive, or the same one with other options, has been imported here in part; finish that import first, or give it up: npm run import -- --give-up",
    );
  return { ...progress, archive };
}

interface ImportOptions {
  /** Calls with the number of messages written and indexed, and with twice their number. */
  report?: ReportProgress;
  /** Where the organization is reached: everybody gets a link there by mail to choose a password. Undefined: nobody does. */
  resetLinksTo?: string | undefined;
  /** For how long requests that read the organization before it was closed may still write. */
  settleMs?: number;
  files?: StoredFiles;
  /** Further writes in the transactions with which an import begins, is about to delete what it replaces, and ends. */
  atBegin?: readonly Write[];
  atClear?: readonly Write[];
  atEnd?: () => readonly Write[];
}

/** Writes the organization. */
export async function writeImport(
  plan: ImportPlan,
  name: string,
  begun: ImportProgress,
  options: ImportOptions = {},
): Promise<ImportProgress> {
  const { report = () => {}, resetLinksTo, settleMs = 0, files = storedFiles } = options;
  const { atBegin = [], atClear = [], atEnd = () => [] } = options;
  await forgetFinished();
  const run: string = randomUUID();
  let progress: ImportProgress = { ...begun, run };
  const closes = begun.run === undefined ? begun.replaces : undefined;
  if (closes) progress.replaces = { ...closes, closedAt: Date.now() };
  if (begun.run === undefined) {
    const { message, scheduledMessage } = await readHead();
    progress.reserved = { message, scheduledMessage };
  }
  // Fails if somebody else has begun or continued an import since.
  await transact(
    begun.run !== undefined
      ? [putImport(progress, begun.run)]
      : [
          createImport(progress),
          ...atBegin,
          ...(closes ? [withRefusal(closeOrganization(closes.organization), changedMeanwhile)] : []),
        ],
    { refusal: takenOver },
  );
  const save = async (changed: Partial<ImportProgress>, others: readonly Write[] = []) => {
    progress = { ...progress, ...changed };
    await transact([putImport(progress, run), ...others], { refusal: takenOver });
  };
  // Its writes have no conditions: after another run has finished, they would replace what people have changed since.
  const checkRun = async () => {
    if ((await findImport())?.run !== run) throw takenOver();
  };
  const putAll: PutAll = async (writes) => {
    await checkRun();
    await batchWrite(itemsOf(writes));
  };
  if (progress.replaces && !progress.replaces.isCleared) {
    const { replaces } = progress;
    const known = replaces.account ? replaces : await findUnusedAccount(replaces, settleMs);
    if (!known) {
      await transact([createOrganizationItem(replaces.organization), deleteImport(run)], { refusal: takenOver });
      throw changedMeanwhile();
    }
    await save({ replaces: { ...replaces, ...known } }, atClear);
    await clearTable(run, takenOver);
    await save({ replaces: { ...replaces, ...known, isCleared: true } });
  }
  // First, because who has an unusable one is written without it.
  await writePictures(plan, files);
  const members = withSystemBots(plan, progress.replaces);
  const contexts = new RenderContexts(plan);
  if (!progress.hasMembers) {
    await writePeopleAndChannels(plan, contexts, members, progress.startedAt, putAll);
    await writeEmoji(plan, files, putAll);
    await writeDetails(plan, contexts, putAll);
    await save({ hasMembers: true });
  }
  const writer: MessageWriter = { plan, contexts, files, putAll };
  await writeMessages(writer, progress, save, (count) => report(count, 2 * plan.messageCount));
  const scheduledBytes = await writeScheduledMessages(writer, progress.startedAt);
  await writeSummaries(plan, progress.fileBytes + scheduledBytes, putAll);
  await indexUpTo(plan.messageCount, (count) => report(plan.messageCount + count, 2 * plan.messageCount));
  // The sweep of the outbox sends these when the organization exists. If this process dies before, they are written again, and the
  // earlier ones send nothing, or one mail more.
  if (resetLinksTo !== undefined) await putAll(resetLinkWrites(plan, resetLinksTo));
  const replaced = progress.replaces?.organization;
  const organization = {
    ...{ uuid: randomUUID(), stringId: "", createdAt: progress.startedAt },
    ...(replaced && toldElsewhere(replaced)),
    // What processes know of former versions is never taken for the new ones.
    ...{ settings: {}, usersVersion: (replaced?.usersVersion ?? 0) + 1, ...plan.organization, name },
    ...(plan.details.linkifiers.length > 0 && { linkifiersVersion: (replaced?.linkifiersVersion ?? 0) + 1 }),
    notificationBotId: members.find(({ isSystemBot }) => isSystemBot)?.id as number,
    ownerIds: new Set(
      members.filter(({ role, deactivated }) => role === roles.owner && !deactivated).map(({ id }) => id),
    ),
  };
  const lastWrites = [createOrganizationItem(organization), ...atEnd()];
  if (!replaced) await transact([...lastWrites, deleteImport(run)], { refusal: takenOver });
  else {
    await transact([...lastWrites, putImport({ ...progress, isOver: true }, run)], { refusal: takenOver });
    await forgetFormer(run);
  }
  return progress;
}

/** Progress before anything is written. */
export const newProgress = (archive: string): ImportProgress => ({
  ...{ archive, startedAt: nowSeconds(), hasMembers: false, messages: 0, files: 0, missingFiles: 0, fileBytes: 0 },
});

const takenOver = () =>
  new ArchiveError("Another process has started or continued the same import, so this one has stopped");

const changedMeanwhile = () =>
  new ArchiveError(
    "Somebody has used the organization in the meantime, so it was left as it was. Repeat the command to see what was found",
  );

/** What clients, the push service and deployments know of an organization that is replaced. */
function toldElsewhere({ uuid, stringId, pushUsed, browsersUsed, build, generation }: Organization) {
  const known = { uuid, stringId, pushUsed, browsersUsed, build, generation };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)) as typeof known;
}

const withSystemBots = ({ members }: ImportPlan, replaces: ReplacedOrganization | undefined): Member[] => [
  ...members.map((member) =>
    replaces?.account && member.email.toLowerCase() === replaces.owner.email.toLowerCase()
      ? { ...member, account: replaces.account, secondFactor: replaces.secondFactor }
      : member,
  ),
  ...systemBots.map((bot, index) => ({
    ...{ ...bot, id: members.length + 1 + index, role: roles.member },
    ...{ botType: botTypes.generic, isSystemBot: true as const },
  })),
];

async function writePeopleAndChannels(
  plan: ImportPlan,
  contexts: RenderContexts,
  members: readonly Member[],
  now: number,
  putAll: PutAll,
): Promise<void> {
  const { groups, channels } = plan;
  await putAll([...systemGroupWrites(), ...groups.flatMap((group) => createGroup(group)), ...graphWrites(groups)]);
  const context = contexts.for(undefined);
  const groupsOf = Map.groupBy(
    groups.flatMap(({ id, members: ids = [] }) => [...ids].map((userId) => ({ id, userId }))),
    ({ userId }) => userId,
  );
  for (const batch of batchesOf(members, 500)) {
    const idsOf = (userId: number) => (groupsOf.get(userId) ?? []).map(({ id }) => id);
    const writes = batch.map(async (member) =>
      memberWrites(await withProfileHtml(member, plan, context), idsOf(member.id), now),
    );
    await putAll((await Promise.all(writes)).flat());
  }
  for (const { channel, stats, subscriptions } of channels) {
    const html = await renderDescription(channel.description, context);
    await putAll([
      ...createChannel({ ...channel, renderedDescription: html }, stats),
      ...subscriptions.flatMap((one) => [
        createSubscription(one),
        // Adds those who want mail for all messages to their index.
        ...(one.active && one.emailNotifications
          ? [updateSubscription(one.userId, one.channelId, { emailNotifications: true })]
          : []),
      ]),
    ]);
  }
  await putAll([
    ...plan.conversations.map(createConversation),
    setCounter("user", members.length),
    setCounter("group", systemGroups.length + groups.length),
    setCounter("channel", plan.channels.length),
    setCounter("recipient", plan.channels.length + plan.conversations.length),
    setCounter("attachment", plan.fileCount),
  ]);
}

const resetLinkWrites = ({ members }: ImportPlan, base_url: string): Write[] =>
  members
    .filter((member) => member.botType === undefined && !member.deactivated && hasRealAddress(member))
    .flatMap(({ email }) => followUpWrites([outboxJob(mailResetLinkJob, { id: randomUUID(), email, base_url })]));

/** Which groups contain which, in one item. */
function graphWrites(groups: readonly Group[]): Write[] {
  const subgroups: Record<string, number[]> = {};
  return groups.flatMap(({ id, subgroupIds }) => {
    if (subgroupIds.length === 0) return [];
    const [write] = setSubgroupsInGraph(id, subgroupIds, { subgroups: { ...subgroups } });
    subgroups[id] = subgroupIds;
    return write ?? [];
  });
}

async function writeEmoji(plan: ImportPlan, files: StoredFiles, putAll: PutAll): Promise<void> {
  const emoji: OrganizationEmoji[] = [];
  const fetched = await plan.fetchEmoji();
  for (const [index, { name, content, authorId, deactivated }] of fetched.entries()) {
    try {
      const { picture, still } = checkPicture({ name, content }, nameOfContent);
      for (const image of still ? [picture, still] : [picture])
        await files.put(emojiFile(image.name), image.content, image.contentType);
      const stillPath = still && { stillPath: still.name };
      emoji.push({
        ...{ id: index + 1, name: checkEmojiName(name), path: picture.name, authorId, deactivated },
        ...stillPath,
      });
      plan.report.comes("custom emoji");
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      plan.report.lacks("custom emoji whose name or picture is not allowed", 1, name);
    }
  }
  // Only active ones reserve their names.
  const writes = emoji.flatMap((one) => createEmoji(one).slice(0, one.deactivated ? 1 : 2));
  await putAll([...writes, setCounter("emoji", fetched.length)]);
}

/** Everything that follows from all messages together. */
async function writeSummaries(plan: ImportPlan, fileBytes: number, putAll: PutAll): Promise<void> {
  const { messageCount, topics, details } = plan;
  for (const batch of batchesOf(topics, 1000)) await putAll(batch.map((topic) => replaceTopic(undefined, topic)));
  // The next message gets the next ID.
  const { event, message, scheduledMessage } = await readHead();
  await putAll([
    addSpaceUsed(fileBytes),
    putCursor(cursors.search, { sequence: event, leasedUntil: 0, message: messageCount }),
  ]);
  const messages = Math.max(0, messageCount - message);
  const scheduledMessages = Math.max(0, details.scheduledMessages.length + details.reminders.length - scheduledMessage);
  if (messages + scheduledMessages > 0) await commitNumbered({ messages, scheduledMessages }, () => ({}));
}
