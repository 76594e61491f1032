import { onDemand } from "../../shared/base/needs.ts";
import { int, list, nameText, text, withDefault } from "../../shared/base/schema/params.ts";
import { creationParams } from "../../shared/core/channels/params.ts";
import {
  checkChannelDescription,
  checkChannelName,
  checkCreation,
  freeName,
} from "../../shared/features/channels/check-creation.ts";
import { findNamedCaller } from "../../shared/features/channels/notices.ts";
import { checkMayAddFirstSubscribers, createChannelWithSubscribers } from "../../shared/features/subscriptions/add.ts";
import { firstSubscribers } from "../../shared/features/subscriptions/principals.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { countCreations } from "../../shared/services/identity/creation-counts.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/channels/create",
    summary: "Creates a channel with its first subscribers.",
    note: '`send_new_subscription_messages` controls only direct messages. It affects neither the channel\'s first message (in "channel events", or in the empty topic if no other is allowed) nor the announcement that `announce` asks for (in "new channels"). A private channel is not announced.',
    caller: "member",
    params: {
      name: nameText(),
      description: withDefault(text(), ""),
      subscribers: list(int()),
      ...creationParams,
    },
    returns: { id: int() },
    needs: { realm, checkNameFree: onDemand(freeName), subscribers: onDemand(firstSubscribers) },
    errors: ["CHANNEL_ALREADY_EXISTS", "REQUEST_VARIABLE_INVALID", "UNAUTHORIZED_PRINCIPAL"],
    creates: ["channel", "subscription", "message", "permissionMember", "permissionGroup"],
    uses: { table: "readWrite" },
  },
  async ({ caller, params, realm, checkNameFree, subscribers }) => {
    const name = checkChannelName(params.name);
    const description = checkChannelDescription(params.description);
    await checkNameFree();
    const settings = await checkCreation(caller, params, realm);
    const people = await subscribers();
    if (people.some(({ id }) => id !== caller.id)) await checkMayAddFirstSubscribers(caller, settings, realm);
    const ids = people.map(({ id }) => id);
    await countCreations(caller, "channel");
    const namedCaller = await findNamedCaller(caller, realm);
    const channel = await createChannelWithSubscribers(
      namedCaller,
      { name, description },
      settings,
      ids,
      params.announce,
      realm,
    );
    return { id: channel.id };
  },
);
