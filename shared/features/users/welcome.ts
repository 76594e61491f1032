import { plainName } from "../../core/markdown/source/plain.ts";
import { silentMention } from "../../core/markdown/source/references.ts";
import { sendMessage } from "../../messaging/messages/send/actions.ts";
import { composeChannelNotice, composeDirectFromBot } from "../../messaging/messages/send/notices.ts";
import { channelRecipient, sendOnce } from "../../messaging/messages/send/send-once.ts";
import type { Realm } from "../../services/organization/access.ts";
import { welcomeBotId } from "../../services/organization/system-bots.ts";
import { findChannel } from "../../store/channels/channels.ts";
import type { User } from "../../store/users/users.ts";

/** Messages from system bots to and about new users. */

const composeWelcome = (userId: number, text: string, realm: Realm) =>
  composeDirectFromBot(welcomeBotId(realm), realm, userId, text);

/** What a new user reads first where the organization has no text of its own. */
const greeting = ({ name }: Realm) =>
  [
    `Hello, and welcome to ${plainName(name)}! :wave:`,
    "",
    "I am a bot, and this is a direct message: nobody else can read it. What concerns more people is written in channels, " +
      "where each message belongs to a topic. Open a channel to see its topics, answer in one of them, or start a new one.",
  ].join("\n");

/** Sends a user the organization's welcome message from Welcome Bot; returns the message's ID. */
export const sendWelcome = async (userId: number, text: string, realm: Realm): Promise<number> =>
  sendMessage(await composeWelcome(userId, text, realm));

/**
 * Sends a new user a welcome message, with `ownText` or else the organization's text if they are not blank, and announces the
 * user in the signup channel if there is one; each exactly once per job.
 */
export async function welcome(
  jobId: string,
  user: Pick<User, "id" | "fullName">,
  realm: Realm,
  ownText?: string | undefined,
): Promise<void> {
  const { welcome_message_custom_text, signup_announcements_stream_id: channelId } = realm.settings;
  const customText = ownText ?? welcome_message_custom_text;
  const text = customText.trim() === "" ? greeting(realm) : customText;
  await sendOnce(jobId, user.id, () => composeWelcome(user.id, text, realm));
  const channel = channelId < 0 ? undefined : await findChannel(channelId);
  if (!channel || channel.isArchived) return;
  const topic = channel.topicsPolicy === "empty_topic_only" ? "" : "signups";
  const notice = `${silentMention(user)} joined this organization.`;
  await sendOnce(jobId, channelRecipient, () => composeChannelNotice(realm, channel, topic, notice));
}
