import { list, optional, text } from "../../shared/base/schema/params.ts";
import { principals } from "../../shared/core/channels/params.ts";
import { accessPrincipals } from "../../shared/features/subscriptions/principals.ts";
import { accessChannelsToUnsubscribe, removeSubscriptions } from "../../shared/features/subscriptions/remove.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/users/me/subscriptions",
    summary: "Unsubscribes users from channels.",
    note: "At most 100 channels. If a name is unknown, the reply is `STREAM_DOES_NOT_EXIST` with `stream`, and nothing is changed. The users' unread messages in the channels become read.",
    caller: "user",
    params: {
      subscriptions: list(text(), { max: 100 }),
      principals: optional(principals()),
    },
    returns: { removed: list(text()), not_removed: list(text()) },
    needs: { realm },
    errors: ["STREAM_DOES_NOT_EXIST"],
    uses: { table: "readWrite", sends: ["background-jobs"] },
  },
  async ({ caller, params, realm }) => {
    const people = await accessPrincipals(caller, params.principals);
    const accesses = await accessChannelsToUnsubscribe(caller, params.subscriptions, people, realm);
    return removeSubscriptions(accesses, people);
  },
);
