import { principal } from "../../shared/channels/params.ts";
import { accessPrincipals } from "../../shared/channels/principals.ts";
import { accessToRemove, removeSubscriptions } from "../../shared/channels/remove.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { list, optional, text } from "../../shared/http/params.ts";
import { accessRealm } from "../../shared/organization/access.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/users/me/subscriptions",
    summary: "Ends the subscriptions of users to channels.",
    caller: "user",
    params: {
      subscriptions: list(text(), { max: 100 }),
      principals: optional(list(principal())),
    },
    returns: { removed: list(text()), not_removed: list(text()) },
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => {
    const [realm, people] = await Promise.all([accessRealm(), accessPrincipals(caller, params.principals)]);
    const standings = await accessToRemove(caller, params.subscriptions, people, realm);
    return removeSubscriptions(standings, people);
  },
);
