import { int, list } from "../../shared/base/schema/params.ts";
import { listChannelAccess } from "../../shared/core/channels/state.ts";
import { accessNamedUser } from "../../shared/core/users/access-user.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";
import { listSubscriptions } from "../../shared/store/channels/subscriptions.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/users/{user_id}/channels",
    summary: "Lists the IDs, in ascending order, of a user's subscribed channels that the caller may see.",
    note: "This comes from a later feature level (440), for clients that ask for it. Archived channels are included, as in Zulip. Deactivated users have no subscriptions.",
    caller: "user",
    params: { user_id: int() },
    returns: { subscribed_channel_ids: list(int()) },
    needs: { realm },
    uses: { table: "read" },
  },
  async ({ caller, params, realm }) => {
    const user = await accessNamedUser(caller, params.user_id, { deactivated: true, bots: true });
    const [subscriptions, visible] = await Promise.all([listSubscriptions(user.id), listChannelAccess(caller, realm)]);
    const visibleIds = new Set(visible.map(({ channel }) => channel.id));
    const ids = subscriptions.filter(({ active, channelId }) => active && visibleIds.has(channelId));
    return { subscribed_channel_ids: ids.map(({ channelId }) => channelId).sort((a, b) => a - b) };
  },
);
