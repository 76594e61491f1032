import { linkUrl } from "../../shared/base/environment.ts";
import { maybeQuoted, oneOfInts, optional, string, text, withDefault } from "../../shared/base/schema/params.ts";
import { botTypes } from "../../shared/base/schema/roles.ts";
import { pictureUrl } from "../../shared/core/users/avatars.ts";
import { checkFullName, checkNameFree } from "../../shared/core/users/names.ts";
import {
  accessBotChannel,
  checkBotAddressFree,
  checkBotCount,
  checkMayCreateBot,
  outgoingWebhookFields,
} from "../../shared/features/bots/access.ts";
import { addBot } from "../../shared/features/bots/actions.ts";
import { newBot } from "../../shared/features/bots/defaults.ts";
import { configParam, defaultStreamParams, newBotReturns } from "../../shared/features/bots/params.ts";
import { botAddress } from "../../shared/features/bots/rules.ts";
import { toDefaultsWire } from "../../shared/features/bots/wire.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { botDomain } from "../../shared/services/identity/bot-domains.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/bots",
    summary: "Creates a bot that the caller owns.",
    note: [
      "The bot's address is `short_name-bot@` followed by the server's host name, or by `skein.invalid` if the host name is not a domain; a bot can sign in with either.",
      "Embedded bots are refused. An outgoing webhook requires its `payload_url`; only the first service of a bot is called.",
      "In a channel, a message calls the outgoing webhooks that it mentions personally and not silently; in a direct conversation, those that take part. A mention that an edit adds calls no bot. A message calls at most ten bots.",
      "A status other than 2xx, a refused address or a reply of more than 256 KiB fails at once; a failed connection or a timeout (10 s) is tried four times. `Idempotency-Key` is the message's ID and the bot's ID, joined by `-`: a service gets each request at least once, and the conversation gets each reply exactly once.",
      "A bot that may not post where it was called posts nothing there and notifies its owner. So does a bot whose `widget_content` is invalid: it must be a `zform` as in `POST /messages`, as JSON text or as an object.",
    ],
    caller: "human",
    params: {
      full_name: text(),
      short_name: string({ max: 60 }),
      bot_type: withDefault(oneOfInts(Object.values(botTypes)), botTypes.generic),
      payload_url: optional(maybeQuoted(string({ max: 2000 }))),
      interface_type: withDefault(oneOfInts([1, 2]), 1),
      service_name: optional(string({ max: 100 })),
      config_data: optional(configParam()),
      ...defaultStreamParams,
    },
    returns: newBotReturns,
    needs: { realm },
    errors: ["REQUEST_VARIABLE_MISSING"],
    creates: "bot",
    uses: { table: "readWrite", secret: true },
  },
  async ({ caller, params, request, realm }) => {
    const { default_sending_stream, default_events_register_stream } = params;
    const serverUrl = linkUrl(request.baseUrl);
    const email = botAddress(params.short_name, botDomain(serverUrl));
    const type = await checkMayCreateBot(caller, params.bot_type, realm);
    const hook = outgoingWebhookFields(type, params.payload_url, params.interface_type);
    const fullName = checkFullName(params.full_name);
    await Promise.all([checkNameFree(fullName, realm), checkBotAddressFree(email, serverUrl), checkBotCount()]);
    const [sendingChannelId = null, eventsChannelId = null] = await Promise.all(
      [default_sending_stream, default_events_register_stream].map((name) => accessBotChannel(caller, name)),
    );
    const record = (id: number) => ({
      ...newBot(id, caller.id, params.service_name ?? params.short_name, hook),
      defaultSendingChannel: sendingChannelId,
      defaultEventsRegisterChannel: eventsChannelId,
      defaultAllPublicStreams: params.default_all_public_streams ?? false,
      ...(params.config_data && { configData: params.config_data }),
    });
    const { user, apiKey } = await addBot({ email, fullName, type, ownerId: caller.id, record });
    const names = new Map([
      [sendingChannelId ?? 0, default_sending_stream?.trim() ?? ""],
      [eventsChannelId ?? 0, default_events_register_stream?.trim() ?? ""],
    ]);
    const defaults = toDefaultsWire(record(user.id), names);
    return { user_id: user.id, api_key: apiKey, avatar_url: pictureUrl(user), ...defaults };
  },
);
