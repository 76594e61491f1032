import { type Holds, permissionsAmong } from "../groups/access.ts";
import type { Holder } from "../groups/rules.ts";
import { accessRealm, type Realm } from "../organization/access.ts";
import type { Channel } from "../store/channels.ts";
import type { Subscription } from "../store/subscriptions.ts";
import { mayReadContent } from "./rules.ts";

/** What private channels' content depends on beside subscriptions: nothing else asks for a look at groups. */
const contentValues = (channel: Channel | undefined) =>
  channel?.inviteOnly ? [channel.permissions.can_subscribe_group, channel.permissions.can_add_subscribers_group] : [];

/** What `mayReadContent` asks of some channels. One read of the groups where a private one names any made by people. */
export const contentHolds = (
  reader: Holder,
  channels: readonly (Channel | undefined)[],
  { settings }: Pick<Realm, "settings">,
): Promise<Holds> => permissionsAmong(reader, channels.flatMap(contentValues), settings);

/** Whether somebody may read a channel; two reads more than for subscribers where that follows from a permission. */
export async function mayHaveContent(
  reader: Holder,
  channel: Channel,
  subscription: Subscription | undefined,
): Promise<boolean> {
  if (mayReadContent(reader, channel, subscription, () => false)) return true;
  return mayReadContent(reader, channel, subscription, await contentHolds(reader, [channel], await accessRealm()));
}
