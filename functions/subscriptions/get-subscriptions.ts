import { storeLongReply } from "../../shared/blobs/store-long-reply.ts";
import { subscriptionState } from "../../shared/channels/state.ts";
import { subscriptionObject } from "../../shared/channels/wire.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { realm } from "../../shared/organization/access.ts";
import { list, oneOf, withDefault } from "../../shared/schema/params.ts";

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
