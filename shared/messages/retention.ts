import type { RealmSettings } from "../organization/settings.ts";
import type { Channel } from "../store/channels.ts";
import type { Message } from "../store/messages.ts";

type RetentionSettings = Pick<RealmSettings, "message_retention_days">;

/**
 * The oldest time of sending (UNIX seconds) of which messages are still served, in a channel or, without one, between
 * people: what is older has expired, whether or not the worker has removed it already. 0 when messages stay for ever.
 */
export function keptSince(
  channel: Pick<Channel, "messageRetentionDays"> | undefined,
  settings: RetentionSettings,
  now = Date.now() / 1000,
): number {
  const days = channel?.messageRetentionDays ?? settings.message_retention_days;
  return days < 0 ? 0 : Math.floor(now) - days * 86_400;
}

/** Whether a message has outlived its channel's or the organization's retention. */
export const isExpired = (
  message: Pick<Message, "sentAt">,
  channel: Pick<Channel, "messageRetentionDays"> | undefined,
  settings: RetentionSettings,
) => message.sentAt < keptSince(channel, settings);
