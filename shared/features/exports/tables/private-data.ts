import { realmId } from "../../../base/limits.ts";
import { hasAttachment } from "../../../messaging/messages/html-facts.ts";
import { listSubscriptions } from "../../../store/channels/subscriptions.ts";
import { listUserTopics } from "../../../store/channels/user-topics.ts";
import { canonicalType, type ReactionType } from "../../../store/messages/reactions.ts";
import { listReminders } from "../../../store/messages/reminders.ts";
import { listScheduledMessages, type ScheduledMessage } from "../../../store/messages/scheduled-messages.ts";
import { navigationViewsKey, onboardingStepsKey, readShortList } from "../../../store/organization/short-lists.ts";
import { findAlertWords } from "../../../store/users/alert-words.ts";
import { listBotEntries } from "../../../store/users/bot-storage.ts";
import { findBots } from "../../../store/users/bots.ts";
import { type Draft, listDrafts } from "../../../store/users/drafts.ts";
import { listMutedUsers } from "../../../store/users/muted-users.ts";
import { listSnippets } from "../../../store/users/saved-snippets.ts";
import { findUserStatus } from "../../../store/users/user-status.ts";
import type { Context } from "../context.ts";
import type { Phase } from "../page.ts";
import { subscriptionEvents, subscriptionRows } from "./channels.ts";
import { conversationRecipient } from "./conversations.ts";
import { clientId, recipientId, recipientTypes, userIdOf } from "./references.ts";

const usersPerPage = 10;

/** Of consenting users: what only they see. What bots store and how they are configured is their owners'; keys and tokens are left out. */
export const privateDataPhase: Phase = async (at, context) => {
  const userIds = context.consentingIds.filter((id) => id > at).slice(0, usersPerPage);
  for (const userId of userIds) await addPrivateData(userId, context);
  return { next: userIds.length < usersPerPage ? undefined : userIds.at(-1) };
};

async function addPrivateData(userId: number, context: Context): Promise<void> {
  const { lists, dataExport, users } = context;
  const botIds = users.filter(({ ownerId }) => ownerId === userId).map(({ id }) => id);
  const [subscriptions, words, muted, views, steps, snippets, status, topics, scheduled, drafts, reminders, bots] =
    await Promise.all([
      listSubscriptions(userId),
      findAlertWords(userId),
      listMutedUsers(userId),
      readShortList(navigationViewsKey(userId)),
      readShortList(onboardingStepsKey(userId)),
      listSnippets(userId),
      findUserStatus(userId),
      listUserTopics(userId),
      listScheduledMessages(userId),
      listDrafts(userId),
      listReminders(userId),
      findBots(botIds),
    ]);
  const streams = await lists.ids("zerver_stream");
  const inArchive = subscriptions.filter(({ channelId }) => streams.has(channelId));
  await lists.add("zerver_subscription", subscriptionRows(inArchive));
  await lists.add(
    "zerver_realmauditlog",
    inArchive.flatMap((subscription) => subscriptionEvents(subscription, context)),
  );
  await lists.add(
    "zerver_alertword",
    (words?.words ?? []).map((word) => ({ realm: realmId, user_profile: userId, word })),
  );
  await lists.add(
    "zerver_muteduser",
    muted
      .filter(({ mutedId }) => userIdOf(mutedId, context) !== null)
      .map(({ mutedId, mutedAt }) => ({ user_profile: userId, muted_user: mutedId, date_muted: mutedAt })),
  );
  await lists.add(
    "zerver_navigationview",
    views.entries.map(({ fragment, isPinned, name }) => ({ user: userId, fragment, is_pinned: isPinned, name })),
  );
  await lists.add(
    "zerver_onboardingstep",
    steps.entries.map((step) => ({ user: userId, onboarding_step: step, timestamp: dataExport.requestedAt })),
  );
  await lists.add(
    "zerver_savedsnippet",
    snippets.map(({ id, title, content, createdAt }) => ({
      ...{ id, realm: realmId, user_profile: userId, title, content, date_created: createdAt },
    })),
  );
  await lists.add(
    "zerver_usertopic",
    topics
      .filter(({ channelId }) => streams.has(channelId))
      .map(({ channelId, topic, policy, updatedAt }) => ({
        ...{ user_profile: userId, stream: channelId, recipient: recipientId(recipientTypes.channel, channelId) },
        ...{ topic_name: topic, visibility_policy: policy, last_updated: updatedAt },
      })),
  );
  if (status?.text || status?.emojiCode) {
    const emoji = await emojiColumns(status.emojiType, status.emojiCode, status.emojiName);
    await lists.add("zerver_userstatus", [
      {
        ...{ user_profile: userId, timestamp: dataExport.requestedAt, client: await clientId("website", context) },
        ...{ status_text: status.text ?? "", ...emoji },
      },
    ]);
  }
  for (const message of scheduled) await addScheduledMessage(message, context);
  for (const draft of drafts) await addDraft(draft, context);
  await lists.add(
    "skein_reminder",
    reminders.map(({ id, messageId, content, deliverAt }) => ({
      ...{ id, user_profile: userId, message: messageId, content, scheduled_timestamp: deliverAt },
    })),
  );
  for (const { id, services, configData = {} } of bots) {
    await lists.add(
      "zerver_botconfigdata",
      Object.entries(configData).map(([key, value]) => ({ bot_profile: id, key, value })),
    );
    await lists.add(
      "zerver_service",
      services.map(({ name, baseUrl, interface: format }) => ({
        // The importer makes a new token.
        ...{ user_profile: id, name, base_url: baseUrl, interface: format, token: "" },
      })),
    );
    await lists.add(
      "zerver_botstoragedata",
      (await listBotEntries(id)).map(({ name, value }) => ({ bot_profile: id, key: name, value })),
    );
  }
}

/** A status without emoji has the columns' defaults. */
async function emojiColumns(type: ReactionType | undefined, code: string | undefined, name: string | undefined) {
  if (!type || !code || !name) return { reaction_type: "unicode_emoji", emoji_code: "", emoji_name: "" };
  return { reaction_type: zulipType(type), emoji_code: code, emoji_name: name };
}

/** Zulip stores its extra emoji under one of the two spellings. */
export const zulipType = (type: ReactionType): ReactionType =>
  canonicalType(type) === "service_extra_emoji" ? "zulip_extra_emoji" : type;

async function addScheduledMessage(message: ScheduledMessage, context: Context): Promise<void> {
  const { lists, dataExport } = context;
  const { id, userId, channelId, userIds = [], topic, content, html, deliverAt, failed } = message;
  if (channelId !== undefined && !(await lists.ids("zerver_stream")).has(channelId)) return;
  if (userIds.some((each) => userIdOf(each, context) === null)) return;
  const recipient =
    channelId === undefined
      ? await conversationRecipient({ senderId: userId, userIds: [...userIds, userId] }, context)
      : recipientId(recipientTypes.channel, channelId);
  if (recipient === undefined) return;
  await lists.add("zerver_scheduledmessage", [
    {
      ...{ id, realm: realmId, sender: userId, recipient, stream: channelId ?? null, subject: topic ?? "" },
      ...{ content, rendered_content: html, scheduled_timestamp: deliverAt, request_timestamp: dataExport.requestedAt },
      ...{ sending_client: await clientId(message.client, context), read_by_sender: message.readBySender },
      ...{ delivered: false, delivered_message: null, has_attachment: hasAttachment(message), failed },
      delivery_type: 1,
    },
  ]);
}

/** A draft whose channel or people are not in the archive has nowhere to go. */
async function addDraft({ id, userId, type, to, topic, content, timestamp }: Draft, context: Context): Promise<void> {
  const { lists } = context;
  const [channelId] = type === "stream" ? to : [];
  const isKnown =
    channelId === undefined
      ? type === "private" && to.length > 0 && to.every((each) => userIdOf(each, context) !== null)
      : (await lists.ids("zerver_stream")).has(channelId);
  const recipient = !isKnown
    ? undefined
    : channelId === undefined
      ? await conversationRecipient({ senderId: userId, userIds: [...to, userId] }, context)
      : recipientId(recipientTypes.channel, channelId);
  await lists.add("zerver_draft", [
    { id, user_profile: userId, recipient: recipient ?? null, topic, content, last_edit_time: timestamp },
  ]);
}
