import { creationLimits } from "../../../base/creation-limits.ts";
import { limits } from "../../../base/limits.ts";
import { truncate, truncateContent } from "../../../base/schema/text.ts";
import { visibilityPolicies } from "../../../store/channels/user-topics.ts";
import type { Emoji } from "../../../store/messages/reactions.ts";
import { checkViewName } from "../../navigation-views/navigation-views.ts";
import { checkSnippetContent, checkTitle } from "../../saved-snippets/saved-snippets.ts";
import { allowedName } from "../names.ts";
import { noDetails, type PlannedDetails } from "../plan.ts";
import type { ImportReport } from "../report.ts";
import type { ZulipExport } from "./format.ts";
import { attemptWith, refuse } from "./lists.ts";

type DetailPlace = { channelId: number } | { userIds: number[] };

/** How details name what else is in the archive. */
export interface DetailNames {
  userOf(zulipId: number | undefined): number | undefined;
  /** Like `userOf`, for people only. */
  personOf(zulipId: number | undefined): number | undefined;
  channelOf(zulipId: number | undefined): number | undefined;
  messageOf(zulipId: number): number | undefined;
  /** Where messages to a recipient go. */
  placeOf(zulipRecipientId: number): DetailPlace | undefined;
  emojiOf(emoji: { type: string; code: string; name: string }): Emoji | undefined;
  /** A text, with links to those files that come. */
  textOf(content: string): string;
  /** Notes that a scheduled message comes, so that its files do. */
  schedule(zulipId: number, deliverAt: number): void;
  clientOf(zulipId: number | undefined): string;
}

type ScheduledRow = ZulipExport["tables"]["zerver_scheduledmessage"][number];

/** Zulip's number of reminders among scheduled messages. */
const zulipReminder = 2;
const maxAlertWords = 500;
const { max: maxViews } = creationLimits.navigationView;

/** What belongs to people, checked as requests are; the report says what does not come and why. */
export function detailsOf(
  { tables }: ZulipExport,
  names: DetailNames,
  now: number,
  report: ImportReport,
): PlannedDetails {
  const details = noDetails();
  const attempt = attemptWith(report);

  const scheduled: { row: ScheduledRow; userId: number; place: DetailPlace }[] = [];
  const reminderRows = [...tables.skein_reminder];
  for (const row of tables.zerver_scheduledmessage) {
    const userId = names.userOf(row.sender);
    const place = names.placeOf(row.recipient);
    if (userId === undefined || row.delivered) continue;
    if (row.delivery_type === zulipReminder) {
      reminderRows.push({ ...row, user_profile: row.sender, message: row.reminder_target_message_id ?? 0 });
      continue;
    }
    if (!place || row.delivery_type !== 1 || row.scheduled_timestamp <= 0) {
      report.lacks("scheduled messages to where nobody is");
      continue;
    }
    // Before any text is read: each may link to the files of these.
    if (row.id !== undefined) names.schedule(row.id, Math.floor(row.scheduled_timestamp));
    scheduled.push({ row, userId, place });
  }

  for (const { user_profile, stream, topic_name, visibility_policy, last_updated } of tables.zerver_usertopic) {
    const [userId, channelId] = [names.personOf(user_profile), names.channelOf(stream)];
    const policy = Object.values(visibilityPolicies).find((one) => one !== 0 && one === visibility_policy);
    if (userId === undefined || channelId === undefined || !policy) continue;
    const topic = truncate(allowedName(topic_name), limits.topicLength, "...");
    details.userTopics.push({ userId, channelId, topic, policy, updatedAt: Math.floor(last_updated) });
    report.comes("policies for topics");
  }
  for (const { user_profile, muted_user, date_muted } of tables.zerver_muteduser) {
    const [userId, mutedId] = [names.personOf(user_profile), names.userOf(muted_user)];
    if (userId === undefined || mutedId === undefined) continue;
    details.mutedUsers.push({ userId, mutedId, mutedAt: Math.floor(date_muted) });
    report.comes("muted people");
  }
  const words = new Map<number, Map<string, string>>();
  for (const { user_profile, word } of tables.zerver_alertword) {
    const userId = names.personOf(user_profile);
    const clean = truncate(word.toWellFormed().trim(), limits.alertWordLength, "");
    if (userId === undefined || clean === "") continue;
    const own = words.get(userId) ?? new Map<string, string>();
    words.set(userId, own);
    if (own.size < maxAlertWords && !own.has(clean.toLowerCase())) own.set(clean.toLowerCase(), clean);
  }
  for (const [userId, own] of words) {
    details.alertWords.push({ userId, words: [...own.values()] });
    report.comes("alert words", own.size);
  }

  for (const { user_profile, status_text, emoji_name, emoji_code, reaction_type } of tables.zerver_userstatus) {
    const userId = names.userOf(user_profile);
    const emoji = names.emojiOf({ type: reaction_type, code: emoji_code, name: emoji_name });
    const text = truncate(status_text.toWellFormed().trim(), limits.statusTextLength, "");
    if (userId === undefined || (text === "" && !emoji)) continue;
    const own = emoji && { emojiName: emoji.name, emojiCode: emoji.code, emojiType: emoji.type };
    details.statuses.push({ userId, text, ...own });
    report.comes("statuses");
  }
  const snippetCounts = new Map<number, number>();
  for (const { user_profile, title, content, date_created } of tables.zerver_savedsnippet) {
    const userId = names.personOf(user_profile);
    if (userId === undefined) continue;
    attempt("saved snippets", title, () => {
      const checked = { title: checkTitle(title), content: checkSnippetContent(names.textOf(content)) };
      const count = snippetCounts.get(userId) ?? 0;
      if (count >= creationLimits.savedSnippet.max) refuse(`a person can have ${creationLimits.savedSnippet.max}`);
      snippetCounts.set(userId, count + 1);
      details.snippets.push({
        id: details.snippets.length + 1,
        userId,
        ...checked,
        createdAt: Math.floor(date_created),
      });
    });
  }
  for (const { user, fragment, is_pinned: isPinned, name } of tables.zerver_navigationview) {
    const userId = names.personOf(user);
    if (userId === undefined) continue;
    attempt("navigation views", name ?? fragment, () => {
      const own = details.navigationViews.get(userId) ?? [];
      checkViewName({ fragment, name });
      if (
        own.length >= maxViews ||
        own.some((one) => one.fragment === fragment || (name !== null && one.name === name))
      )
        refuse("there are too many, or this one twice");
      details.navigationViews.set(userId, [
        ...own,
        { fragment: names.textOf(`#${fragment}`).replace(/^\/?#/, ""), isPinned, name },
      ]);
    });
  }
  for (const { user, onboarding_step } of tables.zerver_onboardingstep) {
    const userId = names.personOf(user);
    const own = details.onboardingSteps.get(userId ?? 0) ?? [];
    if (userId !== undefined && onboarding_step !== "" && own.length < 50 && !own.includes(onboarding_step))
      details.onboardingSteps.set(userId, [...own, onboarding_step]);
  }
  for (const { row, userId, place } of scheduled) {
    const topic = truncate(allowedName(row.subject), limits.topicLength, "...");
    details.scheduledMessages.push({
      ...{ id: details.scheduledMessages.length + 1, userId, version: 1 },
      ...("channelId" in place ? { channelId: place.channelId, topic } : { userIds: place.userIds }),
      content: truncateContent(names.textOf(row.content)),
      ...{ deliverAt: Math.floor(row.scheduled_timestamp), readBySender: row.read_by_sender },
      client: names.clientOf(row.sending_client),
      // What should have been sent before is not sent now; its author sees it as failed, and can schedule it anew.
      failed: row.failed || row.scheduled_timestamp <= now,
    });
    report.comes("scheduled messages");
  }
  for (const { user_profile, message, content, scheduled_timestamp } of reminderRows) {
    const [userId, messageId] = [names.personOf(user_profile), names.messageOf(message)];
    if (userId === undefined) continue;
    if (messageId === undefined || scheduled_timestamp <= now) {
      report.lacks("reminders that were due before the import, or of messages that do not come");
      continue;
    }
    details.reminders.push({
      ...{ id: details.scheduledMessages.length + details.reminders.length + 1, userId, messageId },
      ...{ content: truncateContent(names.textOf(content)), deliverAt: Math.floor(scheduled_timestamp) },
    });
    report.comes("reminders");
  }
  for (const { user_profile, recipient, topic, content, last_edit_time } of tables.zerver_draft) {
    const userId = names.personOf(user_profile);
    if (userId === undefined) continue;
    const place = recipient === undefined ? undefined : names.placeOf(recipient);
    const isInChannel = place && "channelId" in place;
    details.drafts.push({
      ...{ id: details.drafts.length + 1, userId, type: isInChannel ? "stream" : place ? "private" : "" },
      to: isInChannel ? [place.channelId] : (place?.userIds ?? []),
      topic: isInChannel ? truncate(allowedName(topic), limits.topicLength, "...") : "",
      ...{ content: truncateContent(names.textOf(content)), timestamp: Math.floor(last_edit_time) },
    });
    report.comes("drafts");
  }
  return details;
}
