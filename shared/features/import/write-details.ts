import { creationLimits } from "../../base/creation-limits.ts";
import { ApiError } from "../../base/errors.ts";
import type { RenderContext } from "../../core/markdown/context.ts";
import { fieldTypes } from "../../core/profile-fields/types.ts";
import { checkUploadedPicture } from "../../services/pictures/rules.ts";
import { pictureFileKey } from "../../services/pictures/urls.ts";
import { createChannelFolder } from "../../store/channels/channel-folders.ts";
import { putUserTopic } from "../../store/channels/user-topics.ts";
import { createReminder } from "../../store/messages/reminders.ts";
import { putLinkifiers } from "../../store/organization/linkifiers.ts";
import {
  defaultStreamGroupsKey,
  type ListKey,
  navigationViewsKey,
  onboardingStepsKey,
  playgroundsKey,
  profileFieldsKey,
  putShortList,
  realmDomainsKey,
} from "../../store/organization/short-lists.ts";
import { setCounter } from "../../store/table/counters.ts";
import type { Write } from "../../store/table/writes.ts";
import { replaceAlertWords } from "../../store/users/alert-words.ts";
import { writeBotEntries } from "../../store/users/bot-storage.ts";
import { createDraft } from "../../store/users/drafts.ts";
import { createMutedUser } from "../../store/users/muted-users.ts";
import { createSnippet } from "../../store/users/saved-snippets.ts";
import { updateUserSettings } from "../../store/users/user-settings.ts";
import { updateUserStatus } from "../../store/users/user-status.ts";
import type { Member } from "../bootstrap/members.ts";
import { sizeInBytes } from "../bot-storage/bot-storage.ts";
import type { ImportPlan } from "./plan.ts";
import type { RenderContexts } from "./render-context.ts";
import { renderDescription } from "./render-description.ts";
import type { StoredFiles } from "./stored-files.ts";
import type { PutAll } from "./write-messages.ts";

/** Writes what belongs to people and to the organization besides channels and messages. */
export async function writeDetails({ details }: ImportPlan, contexts: RenderContexts, putAll: PutAll): Promise<void> {
  const folders = await Promise.all(
    details.channelFolders.map(async (folder) => {
      const html = await renderDescription(folder.description, contexts.for(undefined));
      // Archived folders do not reserve their names.
      return createChannelFolder({ ...folder, renderedDescription: html }).slice(folder.isArchived ? 1 : 0);
    }),
  );
  const reminders = await Promise.all(
    details.reminders.map(async (reminder) => {
      const html = await renderDescription(reminder.content, contexts.for(reminder.userId));
      return createReminder({ ...reminder, html });
    }),
  );
  const writes: Write[] = [
    ...folders.flat(),
    ...reminders,
    ...shortList(defaultStreamGroupsKey, details.defaultStreamGroups, details.defaultStreamGroups.length),
    ...(details.linkifiers.length > 0 ? [putLinkifiers({ version: 1, linkifiers: details.linkifiers })] : []),
    ...shortList(playgroundsKey, details.playgrounds, details.playgrounds.length),
    ...shortList(realmDomainsKey, details.realmDomains, details.realmDomains.length),
    ...shortList(profileFieldsKey, details.profileFields, details.profileFields.length),
    ...[...details.settings].map(([userId, set]) => updateUserSettings(userId, { set })),
    ...details.statuses.map(({ userId, ...set }) => updateUserStatus(userId, { set })),
    ...details.userTopics.map(putUserTopic),
    ...details.mutedUsers.map(createMutedUser),
    ...details.alertWords.map((words) => replaceAlertWords(undefined, words)),
    ...details.snippets.flatMap((snippet) => createSnippet(snippet, creationLimits.savedSnippet.max)),
    ...details.drafts.map(createDraft),
    ...[...details.navigationViews].flatMap(([userId, views]) => shortList(navigationViewsKey(userId), views)),
    ...[...details.onboardingSteps].flatMap(([userId, steps]) => shortList(onboardingStepsKey(userId), steps)),
    ...[...details.botStorage].flatMap(([botId, entries]) => botStorageWrites(botId, entries)),
    setCounter("channel-folder", details.channelFolders.length),
    setCounter("linkifier", details.linkifiers.length),
    setCounter("snippet", details.snippets.length),
    setCounter("draft", details.drafts.length),
  ];
  await putAll(writes);
}

/** A person with the HTML of the texts in their profile. */
export async function withProfileHtml(
  member: Member,
  { details }: ImportPlan,
  context: RenderContext,
): Promise<Member> {
  const { profileValues } = member.profile ?? {};
  if (!profileValues) return member;
  const texts = new Set(details.profileFields.filter(({ type }) => isText(type)).map(({ id }) => String(id)));
  const values = Object.entries(profileValues).map(async ([id, stored]) => {
    const { value } = stored;
    if (typeof value !== "string" || !texts.has(id)) return [id, stored] as const;
    return [id, { value, html: await renderDescription(value, context) }] as const;
  });
  return { ...member, profile: { ...member.profile, profileValues: Object.fromEntries(await Promise.all(values)) } };
}

function botStorageWrites(botId: number, entries: ReadonlyMap<string, string>): Write[] {
  const bytes = [...entries].reduce((sum, [name, value]) => sum + sizeInBytes(name, value), 0);
  return writeBotEntries(botId, entries, { entries: 0, bytes: 0, version: 0 }, { entries: entries.size, bytes });
}

const isText = (type: number) => type === fieldTypes.shortText || type === fieldTypes.longText;

const shortList = <T>(key: ListKey<T>, entries: T[], lastId = 0): Write[] =>
  entries.length > 0 ? [putShortList(key, { version: 0, lastId: 0, entries: [] }, { entries, lastId })] : [];

/** Stores the pictures of people and of the organization in the sizes in which they are served, except those that are stored already. */
export async function writePictures(plan: ImportPlan, files: StoredFiles): Promise<void> {
  const { report } = plan;
  for (const { kind, name, content, forget } of plan.pictures()) {
    try {
      const contentType = checkUploadedPicture({ name, content });
      report.comes("pictures of people and of the organization");
      if (await files.hasSizes(name)) continue;
      await files.put(pictureFileKey(name), content, contentType);
      await files.addSizes(name, kind);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      forget();
      report.lacks("pictures of people and of the organization that are too large or no pictures");
    }
  }
}
