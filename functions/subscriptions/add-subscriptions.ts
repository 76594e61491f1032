import { bool, list, mapOf, optional, text, withDefault } from "../../shared/base/schema/params.ts";
import { creationParams, namedChannel, principals } from "../../shared/core/channels/params.ts";
import { findNamedCaller } from "../../shared/features/channels/notices.ts";
import { addSubscriptions, maxRequestedChannels, requestedChannels } from "../../shared/features/subscriptions/add.ts";
import { accessPrincipals } from "../../shared/features/subscriptions/principals.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/users/me/subscriptions",
    summary: "Subscribes users to channels, and creates the channels that do not exist.",
    note: "At most 100 channels. New channels are created as `POST /channels/create` does. A background job sends the direct messages about new subscriptions a moment after the reply, each only once.",
    caller: "member",
    params: {
      subscriptions: list(namedChannel(), { max: maxRequestedChannels }),
      principals: optional(principals()),
      authorization_errors_fatal: withDefault(bool(), true),
      ...creationParams,
    },
    returns: {
      subscribed: mapOf(list(text())),
      already_subscribed: mapOf(list(text())),
      unauthorized: optional(list(text())),
      new_subscription_messages_sent: optional(bool()),
    },
    needs: { realm, channels: requestedChannels },
    errors: ["REQUEST_VARIABLE_INVALID", "UNAUTHORIZED_PRINCIPAL"],
    creates: ["channel", "subscription", "message"],
    uses: { table: "readWrite", sends: ["background-jobs"] },
  },
  async ({ caller, params, realm, channels }) => {
    const [users, namedCaller] = await Promise.all([
      accessPrincipals(caller, params.principals),
      findNamedCaller(caller, realm),
    ]);
    const notifyUsers = params.send_new_subscription_messages;
    const result = await addSubscriptions(caller, channels, users, { ...params, notifyUsers }, realm, namedCaller);
    return {
      subscribed: Object.fromEntries(result.subscribed),
      already_subscribed: Object.fromEntries(result.alreadySubscribed),
      ...(!params.authorization_errors_fatal && { unauthorized: result.unauthorized }),
      ...(notifyUsers && { new_subscription_messages_sent: result.notified }),
    };
  },
);
