import { addSubscriptions, checkWanted, namedCaller } from "../../shared/channels/add.ts";
import { startingCreation } from "../../shared/channels/creation.ts";
import { namedChannel } from "../../shared/channels/params.ts";
import { accessPrincipals } from "../../shared/channels/principals.ts";
import { accessToRemove, removeSubscriptions } from "../../shared/channels/remove.ts";
import { badRequest } from "../../shared/errors.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { bool, list, mapOf, text, withDefault } from "../../shared/http/params.ts";
import { accessRealm } from "../../shared/organization/access.ts";

export const handler = endpoint(
  {
    method: "PATCH",
    path: "/users/me/subscriptions",
    summary: "Subscribes the caller to some channels and ends their subscriptions to others.",
    caller: "member",
    params: {
      add: withDefault(list(namedChannel(), { max: 100 }), []),
      delete: withDefault(list(text(), { max: 100 }), []),
    },
    returns: {
      subscribed: mapOf(list(text())),
      already_subscribed: mapOf(list(text())),
      removed: list(text()),
      not_removed: list(text()),
      new_subscription_messages_sent: bool(),
    },
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => {
    if (params.add.length === 0 && params.delete.length === 0)
      throw badRequest('Nothing to do. Specify at least one of "add" or "delete".');
    const realm = await accessRealm();
    const wanted = checkWanted(params.add);
    const [people, by] = await Promise.all([accessPrincipals(caller, undefined), namedCaller(caller, realm)]);
    const leaving = await accessToRemove(caller, params.delete, people, realm);
    const done = await addSubscriptions(caller, wanted, people, startingCreation, realm, by);
    const removed = await removeSubscriptions(leaving, people);
    return {
      subscribed: Object.fromEntries(done.subscribed),
      already_subscribed: Object.fromEntries(done.alreadySubscribed),
      ...removed,
      new_subscription_messages_sent: done.told,
    };
  },
);
