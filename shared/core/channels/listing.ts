import { badRequest } from "../../base/errors.ts";
import { type Caller, isGuest } from "../../services/identity/caller.ts";
import type { Realm } from "../../services/organization/access.ts";
import type { ChannelWithStats } from "../../store/channels/channels.ts";
import { listSubscriptions } from "../../store/channels/subscriptions.ts";
import { findUser } from "../../store/users/users.ts";
import { hasContentAccess } from "./rules.ts";
import { listChannelAccess } from "./state.ts";
import { withVisiblePermissions } from "./visible-permissions.ts";

/** The parameters of `GET /streams`. */
interface ListingParams {
  include_public: boolean;
  include_web_public: boolean;
  include_subscribed: boolean;
  exclude_archived: boolean;
  include_all: boolean;
  include_all_active: boolean;
  include_owner_subscribed: boolean;
  include_can_access_content: boolean;
}

/** The requested channels that the caller may see, ordered by ID. Throws a 400 if a guest requests all channels. */
export async function listRequestedChannels(
  caller: Caller,
  params: ListingParams,
  realm: Realm,
): Promise<ChannelWithStats[]> {
  const includesAll = params.include_all || params.include_all_active;
  if (includesAll && isGuest(caller)) throw badRequest("User not authorized for this query");
  const [accesses, ownerChannelIds] = await Promise.all([
    listChannelAccess(caller, realm),
    params.include_owner_subscribed ? listOwnerChannelIds(caller) : new Set<number>(),
  ]);
  const requested = accesses.filter((access) => {
    const { channel, subscription } = access;
    if (channel.isArchived && (params.exclude_archived || params.include_all_active)) return false;
    return (
      includesAll ||
      (params.include_public && !channel.inviteOnly && !isGuest(caller)) ||
      (params.include_web_public && channel.isWebPublic) ||
      (params.include_subscribed && subscription?.active === true) ||
      (params.include_can_access_content && hasContentAccess(access)) ||
      ownerChannelIds.has(channel.id)
    );
  });
  return withVisiblePermissions(
    requested.map(({ channel }) => channel),
    realm.usersVersion,
  );
}

/** IDs of the channels to which a bot's owner is subscribed; empty for other users. */
async function listOwnerChannelIds({ id }: Caller): Promise<Set<number>> {
  const bot = await findUser(id);
  if (bot?.ownerId === undefined) return new Set();
  const subscriptions = await listSubscriptions(bot.ownerId);
  return new Set(subscriptions.filter(({ active }) => active).map(({ channelId }) => channelId));
}
