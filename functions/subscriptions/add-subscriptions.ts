import { addSubscriptions, checkWanted, namedCaller } from "../../shared/channels/add.ts";
import { creationParams, namedChannel, principal } from "../../shared/channels/params.ts";
import { accessPrincipals } from "../../shared/channels/principals.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { bool, list, mapOf, optional, text, withDefault } from "../../shared/http/params.ts";
import { accessRealm } from "../../shared/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/users/me/subscriptions",
    summary: "Subscribes users to channels, and creates the channels that do not exist.",
    caller: "member",
    params: {
      subscriptions: list(namedChannel(), { max: 100 }),
      principals: optional(list(principal())),
      authorization_errors_fatal: withDefault(bool(), true),
      ...creationParams,
    },
    returns: {
      subscribed: mapOf(list(text())),
      already_subscribed: mapOf(list(text())),
      unauthorized: optional(list(text())),
      new_subscription_messages_sent: optional(bool()),
    },
    uses: { table: "readWrite", sends: ["chores"] },
  },
  async ({ caller, params }) => {
    const realm = await accessRealm();
    const wanted = checkWanted(params.subscriptions);
    const [people, by] = await Promise.all([accessPrincipals(caller, params.principals), namedCaller(caller, realm)]);
    const telling = params.send_new_subscription_messages;
    const done = await addSubscriptions(caller, wanted, people, { ...params, telling }, realm, by);
    return {
      subscribed: Object.fromEntries(done.subscribed),
      already_subscribed: Object.fromEntries(done.alreadySubscribed),
      ...(!params.authorization_errors_fatal && { unauthorized: done.unauthorized }),
      ...(telling && { new_subscription_messages_sent: done.told }),
    };
  },
);
