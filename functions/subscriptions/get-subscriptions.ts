import { list, oneOf, withDefault } from "../../shared/base/schema/params.ts";
import { subscriptionState } from "../../shared/core/channels/state.ts";
import { subscriptionObject } from "../../shared/core/channels/wire.ts";
import { storeLongReply } from "../../shared/services/blobs/store-long-reply.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/users/me/subscriptions",
    summary: "Lists the caller's subscriptions with their settings for each channel.",
    caller: "user",
    params: { include_subscribers: withDefault(oneOf(["true", "false", "partial"]), "false") },
    returns: { subscriptions: list(subscriptionObject) },
    needs: { realm },
    storeLongReply,
    uses: { table: "readWrite", files: "readWrite" },
  },
  async ({ caller, params, realm }) => {
    const include = params.include_subscribers;
    const { subscriptions } = await subscriptionState(caller, realm, {
      includeSubscribers: include === "partial" ? "partial" : include === "true",
      archivedChannels: false,
      only: "subscriptions",
    });
    return { subscriptions };
  },
);
