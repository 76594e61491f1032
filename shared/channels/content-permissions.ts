import { accessRealm, type Realm } from "../organization/access.ts";
import { type HasPermission, loadPermissions } from "../permissions/access.ts";
import type { PermissionHolder } from "../permissions/rules.ts";
import type { Channel } from "../store/channels/channels.ts";
import type { Subscription } from "../store/channels/subscriptions.ts";
import { mayReadContent } from "./rules.ts";

/** The permissions that give access to a private channel's content without a subscription. */
const contentPermissions = (channel: Channel | undefined) =>
  channel?.inviteOnly ? [channel.permissions.can_subscribe_group, channel.permissions.can_add_subscribers_group] : [];

/** Loads the predicate that `mayReadContent` needs. Reads the group graph only if a private channel names a custom group. */
export const loadContentPermissions = (
  reader: PermissionHolder,
  channels: readonly (Channel | undefined)[],
  { settings }: Pick<Realm, "settings">,
): Promise<HasPermission> => loadPermissions(reader, channels.flatMap(contentPermissions), settings);

/** Whether a user may read a channel's content. Costs up to two reads unless the subscription or a public channel decides. */
export async function isContentReadable(
  reader: PermissionHolder,
  channel: Channel,
  subscription: Subscription | undefined,
): Promise<boolean> {
  if (mayReadContent(reader, channel, subscription, () => false)) return true;
  return mayReadContent(
    reader,
    channel,
    subscription,
    await loadContentPermissions(reader, [channel], await accessRealm()),
  );
}
