import type { RealmSettings } from "../../base/schema/organization-settings.ts";
import { nowSeconds, secondsPerDay } from "../../base/time.ts";
import type { Channel } from "../../store/channels/channels.ts";
import type { Message } from "../../store/messages/messages.ts";

type RetentionSettings = Pick<RealmSettings, "message_retention_days">;

/**
 * The UNIX time in seconds before which the messages of a channel, or direct messages if `channel` is undefined, have expired,
 * whether or not a worker has deleted them yet. 0 when retention is unlimited.
 */
export function retainedSince(
  channel: Pick<Channel, "messageRetentionDays"> | undefined,
  settings: RetentionSettings,
): number {
  const retentionDays = channel?.messageRetentionDays ?? settings.message_retention_days;
  return retentionDays < 0 ? 0 : nowSeconds() - retentionDays * secondsPerDay;
}

/** Whether a message's retention period has passed. */
export const isExpired = (
  message: Pick<Message, "sentAt">,
  channel: Pick<Channel, "messageRetentionDays"> | undefined,
  settings: RetentionSettings,
) => message.sentAt < retainedSince(channel, settings);
