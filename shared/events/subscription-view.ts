import type { SubscriptionView } from "../channels/state.ts";
import type { Realm } from "../organization/access.ts";
import type { QueueOptions } from "../store/event-queues.ts";

/** How subscriptions look to a client. */
export const subscriptionView = (
  { includeSubscribers, capabilities }: Pick<QueueOptions, "includeSubscribers" | "capabilities">,
  _realm: Realm,
): SubscriptionView => ({ includeSubscribers, archivedChannels: capabilities.includes("archived_channels") });
