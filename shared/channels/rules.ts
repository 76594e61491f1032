import type { Holds } from "../groups/access.ts";
import type { Channel } from "../store/channels.ts";
import type { Subscription } from "../store/subscriptions.ts";
import { type Caller, isAdministrator, isGuest } from "../users/caller.ts";

type Reader = Pick<Caller, "role">;

/**
 * Whether messages of the channel may be read at all: by its subscribers; of a public one by all but guests; of a private
 * one by those, too, who may subscribe to it or have others in it, guests aside.
 */
export const mayReadContent = (
  reader: Reader,
  { isWebPublic, inviteOnly, permissions }: Channel,
  subscription: Subscription | undefined,
  holds: Holds,
) =>
  subscription?.active === true ||
  isWebPublic ||
  (!isGuest(reader) &&
    (!inviteOnly || holds(permissions.can_subscribe_group) || holds(permissions.can_add_subscribers_group)));

/** Whether messages that were sent while they were not subscribed may be read too. */
export const mayReadHistory = (
  reader: Reader,
  channel: Channel,
  subscription: Subscription | undefined,
  holds: Holds,
) =>
  mayReadContent(reader, channel, subscription, holds) && (!channel.inviteOnly || channel.historyPublicToSubscribers);

/** How somebody stands to a channel: what every decision about it follows from. */
export interface Standing {
  person: Reader;
  channel: Channel;
  subscription: Subscription | undefined;
  holds: Holds;
}

/** Permissions that guests never have, whatever group they are in (companion reference, B 4.2). */
const holdsAsMember = ({ person, channel, holds }: Standing, name: keyof Channel["permissions"]) =>
  !isGuest(person) && holds(channel.permissions[name]);

/** Administrators may administer every channel. */
export const mayAdminister = (standing: Standing) =>
  isAdministrator(standing.person) || holdsAsMember(standing, "can_administer_channel_group");

export const hasContentAccess = ({ person, channel, subscription, holds }: Standing) =>
  mayReadContent(person, channel, subscription, holds);

/** Whether the channel, its settings and its list of subscribers may be seen. */
export const mayKnow = (standing: Standing) => hasContentAccess(standing) || mayAdminister(standing);

/** Whether they may subscribe themselves: to a web-public channel guests too. */
export const maySubscribe = (standing: Standing) => !standing.channel.isArchived && hasContentAccess(standing);

/** Whether they may subscribe others; `everywhere` is the organization's permission for all channels that one reads. */
export const mayAddSubscribers = (standing: Standing, everywhere: boolean) =>
  !standing.channel.isArchived &&
  hasContentAccess(standing) &&
  (everywhere || mayAdminister(standing) || holdsAsMember(standing, "can_add_subscribers_group"));

/** Whether they may end others' subscriptions. */
export const mayRemoveSubscribers = (standing: Standing) =>
  mayKnow(standing) &&
  (mayAdminister(standing) || standing.holds(standing.channel.permissions.can_remove_subscribers_group));

/** What knowing of the channel depends on: the permissions to be looked up before any of the above is asked. */
export const decisiveValues = ({ permissions }: Channel) => [
  permissions.can_administer_channel_group,
  permissions.can_add_subscribers_group,
  permissions.can_subscribe_group,
  permissions.can_remove_subscribers_group,
];
