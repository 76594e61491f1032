import { bool, int } from "../../shared/base/schema/params.ts";
import { accessChannel } from "../../shared/core/channels/channel-access.ts";
import { accessNamedUser } from "../../shared/core/users/access-user.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";
import { findSubscription } from "../../shared/store/channels/subscriptions.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/users/{user_id}/subscriptions/{stream_id}",
    summary: "Returns whether a user is subscribed to a channel.",
    caller: "user",
    params: { user_id: int(), stream_id: int() },
    returns: { is_subscribed: bool() },
    needs: { realm },
    uses: { table: "read" },
  },
  async ({ caller, params, realm }) => {
    const user = await accessNamedUser(caller, params.user_id, { deactivated: true, bots: true });
    const { channel } = await accessChannel(caller, params.stream_id, realm);
    const subscription = await findSubscription(user.id, channel.id);
    return { is_subscribed: subscription?.active === true };
  },
);
