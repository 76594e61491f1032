import {
  int,
  mapOf,
  maybeQuoted,
  nullable,
  oneOfInts,
  optional,
  string,
  text,
} from "../../shared/base/schema/params.ts";
import { findVisibleChannelNames } from "../../shared/core/channels/visible-names.ts";
import { accessNamedUser } from "../../shared/core/users/access-user.ts";
import { pictureUrl } from "../../shared/core/users/avatars.ts";
import { checkFullName, checkNameFree } from "../../shared/core/users/names.ts";
import {
  accessBot,
  accessBotChannel,
  applyConfigChange,
  applyServiceChange,
} from "../../shared/features/bots/access.ts";
import { changeBot } from "../../shared/features/bots/actions.ts";
import { configParam, defaultStreamParams, defaultStreamReturns } from "../../shared/features/bots/params.ts";
import { channelIdsOf, toDefaultsWire } from "../../shared/features/bots/wire.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";
import { visibleEmail } from "../../shared/services/identity/visibility.ts";
import { loadRealm } from "../../shared/services/organization/access.ts";
import { findUsers } from "../../shared/store/users/users.ts";

export const handler = changeEndpoint(
  {
    method: "PATCH",
    path: "/bots/{bot_id}",
    summary: "Changes a bot. For its owner and administrators.",
    note: "`config_data` changes the given entries and keeps the others; an empty value removes an entry.",
    caller: "human",
    params: {
      bot_id: int(),
      full_name: optional(text()),
      bot_owner_id: optional(int()),
      service_payload_url: optional(maybeQuoted(string({ max: 2000 }))),
      service_interface: optional(oneOfInts([1, 2])),
      config_data: optional(configParam()),
      ...defaultStreamParams,
    },
    returns: {
      full_name: string(),
      avatar_url: string(),
      service_interface: nullable(int()),
      service_payload_url: nullable(string()),
      config_data: nullable(mapOf(string())),
      ...defaultStreamReturns,
      bot_owner: optional(string()),
    },
    errors: ["UNAUTHORIZED_PRINCIPAL"],
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => {
    const { bot, user } = await accessBot(caller, params.bot_id);
    const { bot_owner_id: ownerId } = params;
    const owner = ownerId === undefined ? undefined : await accessNamedUser(caller, ownerId);
    const [defaultSendingChannel, defaultEventsRegisterChannel] = await Promise.all(
      [params.default_sending_stream, params.default_events_register_stream].map((name) =>
        accessBotChannel(caller, name),
      ),
    );
    const fullName = params.full_name === undefined ? undefined : checkFullName(params.full_name);
    if (fullName !== undefined && fullName !== user.fullName) await checkNameFree(fullName, await loadRealm(), user.id);
    const requested = {
      fullName,
      owner: owner?.id === bot.ownerId ? undefined : owner,
      defaultSendingChannel,
      defaultEventsRegisterChannel,
      defaultAllPublicStreams: params.default_all_public_streams,
      services: applyServiceChange(bot, params.service_payload_url, params.service_interface),
      configData: applyConfigChange(bot, params.config_data),
    };
    const names = await findVisibleChannelNames(caller, [
      ...channelIdsOf(bot),
      ...channelIdsOf({ defaultSendingChannel, defaultEventsRegisterChannel }),
    ]);
    const { change, after } = await changeBot(bot, user, requested, names);
    const [currentOwner] = after.ownerId === null ? [] : await findUsers([after.ownerId]);
    const reply = {
      full_name: requested.fullName ?? user.fullName,
      avatar_url: pictureUrl(user),
      service_interface: after.services[0]?.interface ?? null,
      service_payload_url: after.services[0]?.baseUrl ?? null,
      config_data: after.configData ?? null,
      ...toDefaultsWire(after, names),
      ...(currentOwner && { bot_owner: visibleEmail(currentOwner) }),
    };
    // Others may change the configuration meanwhile, whose entries must stay: then all of this is decided again.
    return { change, reply };
  },
);
