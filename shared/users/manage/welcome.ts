import { sendMessage } from "../../messages/send/actions.ts";
import { composeChannelNotice, composeDirectFromBot } from "../../messages/send/notices.ts";
import { channelRecipient, sendOnce } from "../../messages/send/send-once.ts";
import type { Realm } from "../../organization/access.ts";
import { systemBots } from "../../organization/system-bots.ts";
import { findChannel } from "../../store/channels/channels.ts";
import { findAccount } from "../../store/users/accounts.ts";
import type { User } from "../../store/users/users.ts";

/** Messages from system bots to and about new users. */

const welcomeBotEmail = systemBots[1].email;

const composeWelcome = async (userId: number, text: string, realm: Realm) => {
  const bot = await findAccount(welcomeBotEmail);
  return composeDirectFromBot(bot?.userId ?? realm.notificationBotId, realm, userId, text);
};

/** Sends a user the organization's welcome message from Welcome Bot; returns the message's ID. */
export const sendWelcome = async (userId: number, text: string, realm: Realm): Promise<number> =>
  sendMessage(await composeWelcome(userId, text, realm));

/**
 * Sends a new user `ownText` or the organization's welcome message, and announces them in the signup channel if there is
 * one; each exactly once per job.
 */
export async function welcome(
  jobId: string,
  user: Pick<User, "id" | "fullName">,
  realm: Realm,
  ownText?: string | undefined,
): Promise<void> {
  const { welcome_message_custom_text, signup_announcements_stream_id: channelId } = realm.settings;
  const text = ownText ?? welcome_message_custom_text;
  if (text.trim() !== "") await sendOnce(jobId, user.id, () => composeWelcome(user.id, text, realm));
  const channel = channelId < 0 ? undefined : await findChannel(channelId);
  if (!channel || channel.isArchived) return;
  const topic = channel.topicsPolicy === "empty_topic_only" ? "" : "signups";
  const notice = `@_**${user.fullName}|${user.id}** joined this organization.`;
  await sendOnce(jobId, channelRecipient, () => composeChannelNotice(realm, channel, topic, notice));
}
