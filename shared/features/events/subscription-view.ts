import type { SubscriptionOptions } from "../../core/channels/state.ts";
import { findEffectiveSettings } from "../../core/users/state.ts";
import type { QueueOptions } from "../../store/delivery/event-queues.ts";

/** How to render subscriptions for a client; half a read unit for clients without `notification_settings_null`. */
export async function subscriptionView(
  { includeSubscribers, capabilities }: Pick<QueueOptions, "includeSubscribers" | "capabilities">,
  userId: number,
): Promise<SubscriptionOptions> {
  const view = { includeSubscribers, archivedChannels: capabilities.includes("archived_channels") };
  if (capabilities.includes("notification_settings_null")) return view;
  const settings = await findEffectiveSettings(userId);
  return {
    ...view,
    notificationDefaults: {
      desktop_notifications: settings.enable_stream_desktop_notifications,
      audible_notifications: settings.enable_stream_audible_notifications,
      push_notifications: settings.enable_stream_push_notifications,
      email_notifications: settings.enable_stream_email_notifications,
      wildcard_mentions_notify: settings.wildcard_mentions_notify,
    },
  };
}
