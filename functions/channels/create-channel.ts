import { checkMayFill, createOrFind, namedCaller } from "../../shared/channels/add.ts";
import { accessCreation, checkChannelDescription, checkChannelName } from "../../shared/channels/creation.ts";
import { creationParams } from "../../shared/channels/params.ts";
import { accessPrincipals } from "../../shared/channels/principals.ts";
import { channelAlreadyExists } from "../../shared/errors.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { int, list, text, withDefault } from "../../shared/http/params.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { findChannelIdByName } from "../../shared/store/channels.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/channels/create",
    summary: "Creates a channel with its first subscribers.",
    caller: "member",
    params: {
      name: text(),
      description: withDefault(text(), ""),
      subscribers: list(int()),
      ...creationParams,
    },
    returns: { id: int() },
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => {
    const realm = await accessRealm();
    const name = checkChannelName(params.name);
    const description = checkChannelDescription(params.description);
    if ((await findChannelIdByName(name)) !== undefined) throw channelAlreadyExists(name);
    const settings = await accessCreation(caller, params, realm);
    const people = await accessPrincipals(caller, params.subscribers);
    if (people.some(({ id }) => id !== caller.id)) await checkMayFill(caller, settings, realm);
    const ids = people.map(({ id }) => id);
    const by = await namedCaller(caller, realm);
    const channel = await createOrFind(by, { name, description }, settings, ids, params.announce, realm);
    if (!channel) throw channelAlreadyExists(name);
    return { id: channel.id };
  },
);
