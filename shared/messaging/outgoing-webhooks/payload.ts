import { serverUrl } from "../../base/environment.ts";
import { realmId } from "../../base/limits.ts";
import { findCachedProfiles } from "../../services/identity/profiles.ts";
import { visibleEmail } from "../../services/identity/visibility.ts";
import type { Realm } from "../../services/organization/access.ts";
import { findChannels } from "../../store/channels/channels.ts";
import type { Message } from "../../store/messages/messages.ts";
import { type BotService, slackInterface } from "../../store/users/bots.ts";
import type { User } from "../../store/users/users.ts";
import { readMessageDetails } from "../messages/fetch/present-messages.ts";
import { toMessageWire } from "../messages/wire.ts";
import type { Trigger } from "./triggers/jobs.ts";

/** The context of a request to a bot's service. */
export interface WebhookCall {
  bot: User;
  service: BotService;
  message: Message;
  trigger: Trigger;
  realm: Realm;
}

interface Payload {
  contentType: string;
  body: string;
}

/**
 * The request body in the format of the bot's service; undefined if the format cannot express the message. See
 * https://zulip.com/api/outgoing-webhooks.
 */
export async function payloadOf(call: WebhookCall): Promise<Payload | undefined> {
  if (call.service.interface === slackInterface) return slackPayload(call);
  const message = await readPublicMessage(call);
  return {
    contentType: "application/json",
    body: JSON.stringify({
      bot_email: visibleEmail(call.bot),
      bot_full_name: call.bot.fullName,
      data: call.message.content,
      trigger: call.trigger,
      token: call.service.token,
      message: { ...message, rendered_content: call.message.html },
    }),
  };
}

/** The message as visible to everyone, with Markdown content and absolute image URLs. */
async function readPublicMessage({ message, realm }: WebhookCall) {
  const { channelId, senderId, userIds = [] } = message;
  const [users, channels, details] = await Promise.all([
    findCachedProfiles([senderId, ...userIds], realm.usersVersion),
    findChannels(channelId === undefined ? [] : [channelId]),
    readMessageDetails([message]),
  ]);
  const wire = toMessageWire(message, {
    realm,
    users,
    details,
    channels: new Map(channels.flatMap((channel) => (channel ? [[channel.id, channel]] : []))),
    applyMarkdown: false,
    clientGravatar: false,
    allowEmptyTopicName: true,
  });
  const avatar = wire.avatar_url;
  return { ...wire, avatar_url: avatar?.startsWith("/") ? serverUrl() + avatar : avatar };
}

/** Undefined for direct messages, which Slack's format cannot express. */
async function slackPayload({ bot, service, message, trigger, realm }: WebhookCall): Promise<Payload | undefined> {
  if (message.channelId === undefined) return undefined;
  const [[channel], users] = await Promise.all([
    findChannels([message.channelId]),
    findCachedProfiles([message.senderId], realm.usersVersion),
  ]);
  const fields = {
    token: service.token,
    team_id: `T${realmId}`,
    team_domain: URL.canParse(serverUrl()) ? new URL(serverUrl()).host : "",
    channel_id: `C${message.channelId}`,
    channel_name: channel?.name ?? "",
    thread_ts: String(message.sentAt),
    timestamp: String(message.sentAt),
    user_id: `U${message.senderId}`,
    user_name: users.get(message.senderId)?.fullName ?? "",
    text: message.content,
    trigger_word: trigger,
    service_id: String(bot.id),
  };
  return { contentType: "application/x-www-form-urlencoded", body: new URLSearchParams(fields).toString() };
}
