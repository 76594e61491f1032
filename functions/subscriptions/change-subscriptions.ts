import { defaultCreationParams } from "../../shared/channels/manage/check-creation.ts";
import { findNamedCaller } from "../../shared/channels/manage/notices.ts";
import { namedChannel } from "../../shared/channels/params.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { bool, list, mapOf, text, withDefault } from "../../shared/schema/params.ts";
import { addSubscriptions, checkChangesSomething, checkRequestedChannels } from "../../shared/subscriptions/add.ts";
import { accessPrincipals } from "../../shared/subscriptions/principals.ts";
import { accessRemovals, removeSubscriptions } from "../../shared/subscriptions/remove.ts";

export const handler = endpoint(
  {
    method: "PATCH",
    path: "/users/me/subscriptions",
    summary: "Subscribes the caller to some channels and unsubscribes them from others.",
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
    prefetch: accessRealm,
    errors: ["STREAM_DOES_NOT_EXIST"],
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => {
    checkChangesSomething(params);
    const realm = await accessRealm();
    const wanted = checkRequestedChannels(params.add);
    const [people, by] = await Promise.all([accessPrincipals(caller, undefined), findNamedCaller(caller, realm)]);
    const leaving = await accessRemovals(caller, params.delete, people, realm);
    const done = await addSubscriptions(caller, wanted, people, defaultCreationParams, realm, by);
    const removed = await removeSubscriptions(leaving, people);
    return {
      subscribed: Object.fromEntries(done.subscribed),
      already_subscribed: Object.fromEntries(done.alreadySubscribed),
      ...removed,
      new_subscription_messages_sent: done.notified,
    };
  },
);
