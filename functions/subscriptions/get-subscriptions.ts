import { subscriptionState } from "../../shared/channels/state.ts";
import { subscriptionObject } from "../../shared/channels/wire.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { list, oneOf, withDefault } from "../../shared/http/params.ts";
import { accessRealm } from "../../shared/organization/access.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/users/me/subscriptions",
    summary: "Lists the channels that the caller is subscribed to, with what they set for each.",
    caller: "user",
    params: { include_subscribers: withDefault(oneOf(["true", "false", "partial"]), "false") },
    returns: { subscriptions: list(subscriptionObject) },
    uses: { table: "read" },
  },
  async ({ caller, params }) => {
    const include = params.include_subscribers;
    const { subscriptions } = await subscriptionState(caller, await accessRealm(), {
      includeSubscribers: include === "partial" ? "partial" : include === "true",
      archivedChannels: false,
      only: "subscriptions",
    });
    return { subscriptions };
  },
);
