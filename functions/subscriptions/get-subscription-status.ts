import { accessChannel } from "../../shared/channels/standing.ts";
import { badRequest } from "../../shared/errors.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { bool, int } from "../../shared/http/params.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { findSubscription } from "../../shared/store/subscriptions.ts";
import { findUser } from "../../shared/store/users.ts";
import { checkAccessible } from "../../shared/users/access-user.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/users/{user_id}/subscriptions/{stream_id}",
    summary: "Says whether a user is subscribed to a channel.",
    caller: "user",
    params: { user_id: int(), stream_id: int() },
    returns: { is_subscribed: bool() },
    uses: { table: "read" },
  },
  async ({ caller, params }) => {
    const realm = await accessRealm();
    const user = await findUser(params.user_id);
    if (!user) throw badRequest("No such user");
    await checkAccessible(caller, user);
    const { channel } = await accessChannel(caller, params.stream_id, realm);
    const subscription = await findSubscription(user.id, channel.id);
    return { is_subscribed: subscription?.active === true };
  },
);
