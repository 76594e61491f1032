import { bool, list, mapOf, text, withDefault } from "../../shared/base/schema/params.ts";
import { namedChannel } from "../../shared/core/channels/params.ts";
import { defaultCreationParams } from "../../shared/features/channels/check-creation.ts";
import { findNamedCaller } from "../../shared/features/channels/notices.ts";
import {
  addSubscriptions,
  checkChangesSomething,
  checkRequestedChannels,
  maxRequestedChannels,
} from "../../shared/features/subscriptions/add.ts";
import { accessPrincipals } from "../../shared/features/subscriptions/principals.ts";
import { accessChannelsToUnsubscribe, removeSubscriptions } from "../../shared/features/subscriptions/remove.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

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
