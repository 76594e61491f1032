import type { Channel } from "../store/channels.ts";
import type { Subscription } from "../store/subscriptions.ts";
import { type Caller, isGuest } from "../users/caller.ts";

type Reader = Pick<Caller, "role">;

/** Whether messages of the channel may be read at all: by its subscribers and, of a public one, by all but guests. */
export const mayReadContent = (reader: Reader, channel: Channel, subscription: Subscription | undefined) =>
  subscription?.active === true || channel.isWebPublic || (!channel.inviteOnly && !isGuest(reader));

/** Whether messages from before a subscription may be read too. */
export const mayReadHistory = (reader: Reader, channel: Channel, subscription: Subscription | undefined) =>
  mayReadContent(reader, channel, subscription) && (!channel.inviteOnly || channel.historyPublicToSubscribers);
