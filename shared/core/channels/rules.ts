import { roles } from "../../base/schema/roles.ts";
import { type Caller, isAdministrator, isGuest } from "../../services/identity/caller.ts";
import type { HasPermission } from "../../services/permissions/access.ts";
import type { Channel } from "../../store/channels/channels.ts";
import type { Subscription } from "../../store/channels/subscriptions.ts";
import { isProtected } from "./periods.ts";

type RoleHolder = Pick<Caller, "role">;

/**
 * Whether a user may read a channel's messages: subscribers may; in a web-public channel everyone; in a public one everyone
 * but guests; in a private one also users who may subscribe themselves or others, except guests.
 */
export const mayReadContent = (
  reader: RoleHolder,
  { isWebPublic, inviteOnly, permissions }: Channel,
  subscription: Subscription | undefined,
  isGranted: HasPermission,
) =>
  subscription?.active === true ||
  isWebPublic ||
  (!isGuest(reader) &&
    (!inviteOnly || isGranted(permissions.can_subscribe_group) || isGranted(permissions.can_add_subscribers_group)));

/** The highest number of the roles that may read a channel without a subscription or a permission; 0: none may. */
export function readableUpTo({ isWebPublic, inviteOnly }: Channel): number {
  if (isWebPublic) return roles.guest;
  return inviteOnly ? 0 : roles.member;
}

/** Whether a user may also read messages from times when they were not subscribed. */
export const mayReadHistory = (
  reader: RoleHolder,
  channel: Channel,
  subscription: Subscription | undefined,
  isGranted: HasPermission,
) => mayReadContent(reader, channel, subscription, isGranted) && !isProtected(channel);

/** Everything that a decision about a user's access to a channel depends on. */
export interface ChannelAccess {
  person: RoleHolder;
  channel: Channel;
  subscription: Subscription | undefined;
  isGranted: HasPermission;
}

/** Guests never have these permissions, whichever groups they are in. See https://zulip.com/help/guest-users. */
const isGrantedToMember = ({ person, channel, isGranted }: ChannelAccess, name: keyof Channel["permissions"]) =>
  !isGuest(person) && isGranted(channel.permissions[name]);

/** Administrators may administer every channel. */
export const mayAdminister = (access: ChannelAccess) =>
  isAdministrator(access.person) || isGrantedToMember(access, "can_administer_channel_group");

export const hasContentAccess = ({ person, channel, subscription, isGranted }: ChannelAccess) =>
  mayReadContent(person, channel, subscription, isGranted);

/** Whether a user may see the channel, its settings and its subscribers. */
export const hasMetadataAccess = (access: ChannelAccess) => hasContentAccess(access) || mayAdminister(access);

/** Whether a user may subscribe themselves; guests may in web-public channels. */
export const maySubscribe = (access: ChannelAccess) => !access.channel.isArchived && hasContentAccess(access);

/** Whether a user may subscribe others; `everywhere`: the organization allows it in all channels that they can read. */
export const mayAddSubscribers = (access: ChannelAccess, everywhere: boolean) =>
  !access.channel.isArchived &&
  hasContentAccess(access) &&
  (everywhere || mayAdminister(access) || isGrantedToMember(access, "can_add_subscribers_group"));

/** Whether a user may unsubscribe others. */
export const mayRemoveSubscribers = (access: ChannelAccess) =>
  hasMetadataAccess(access) &&
  (mayAdminister(access) || access.isGranted(access.channel.permissions.can_remove_subscribers_group));

/** The permissions that the functions above evaluate; load them for `isGranted` first. */
export const evaluatedPermissions = ({ permissions }: Channel) => [
  permissions.can_administer_channel_group,
  permissions.can_add_subscribers_group,
  permissions.can_subscribe_group,
  permissions.can_remove_subscribers_group,
];
