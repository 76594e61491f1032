import { defaultCreationParams } from "../../shared/channels/manage/check-creation.ts";
import { findNamedCaller } from "../../shared/channels/manage/notices.ts";
import { namedChannel } from "../../shared/channels/params.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { realm } from "../../shared/organization/access.ts";
import { bool, list, mapOf, text, withDefault } from "../../shared/schema/params.ts";
import {
  addSubscriptions,
  checkChangesSomething,
  checkRequestedChannels,
  maxRequestedChannels,
} from "../../shared/subscriptions/add.ts";
import { accessPrincipals } from "../../shared/subscriptions/principals.ts";
import { accessChannelsToUnsubscribe, removeSubscriptions } from "../../shared/subscriptions/remove.ts";

export const handler = endpoint(
  {
    method: "PATCH",
    path: "/users/me/subscriptions",
    summary: "Subscribes the caller to some channels and unsubscribes them from others.",
    note: "At most 100 channels.",
    caller: "member",
    params: {
      add: withDefault(list(namedChannel(), { max: maxRequestedChannels }), []),
      delete: withDefault(list(text(), { max: maxRequestedChannels }), []),
    },
    returns: {
      subscribed: mapOf(list(text())),
      already_subscribed: mapOf(list(text())),
      removed: list(text()),
      not_removed: list(text()),
      new_subscription_messages_sent: bool(),
    },
    needs: { realm },
    errors: ["STREAM_DOES_NOT_EXIST"],
    creates: ["channel", "subscription", "message"],
    uses: { table: "readWrite", sends: ["background-jobs"] },
  },
  async ({ caller, params, realm }) => {
    checkChangesSomething(params);
    const requested = checkRequestedChannels(params.add);
    const [people, namedCaller] = await Promise.all([
      accessPrincipals(caller, undefined),
      findNamedCaller(caller, realm),
    ]);
    const accessesToRemove = await accessChannelsToUnsubscribe(caller, params.delete, people, realm);
    const added = await addSubscriptions(caller, requested, people, defaultCreationParams, realm, namedCaller);
    const removed = await removeSubscriptions(accessesToRemove, people);
    return {
      subscribed: Object.fromEntries(added.subscribed),
      already_subscribed: Object.fromEntries(added.alreadySubscribed),
      ...removed,
      new_subscription_messages_sent: added.notified,
    };
  },
);
