import {
  checkChannelDescription,
  checkChannelName,
  checkCreation,
  freeName,
} from "../../shared/channels/manage/check-creation.ts";
import { findNamedCaller } from "../../shared/channels/manage/notices.ts";
import { creationParams } from "../../shared/channels/params.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { countCreations } from "../../shared/identity/creation-counts.ts";
import { onDemand } from "../../shared/needs.ts";
import { realm } from "../../shared/organization/access.ts";
import { int, list, nameText, text, withDefault } from "../../shared/schema/params.ts";
import { checkMayAddFirstSubscribers, createChannelWithSubscribers } from "../../shared/subscriptions/add.ts";
import { firstSubscribers } from "../../shared/subscriptions/principals.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/channels/create",
    summary: "Creates a channel with its first subscribers.",
    note: 'The channel\'s first message (in "channel events", or in the empty topic where no other is allowed) and the announcement (in "new channels") are always sent; `send_new_subscription_messages` controls direct messages. A private channel is not announced.',
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
