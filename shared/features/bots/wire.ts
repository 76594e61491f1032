import { bool, int, list, nullable, strictObject, string, type Value } from "../../base/schema/params.ts";
import { botTypes } from "../../base/schema/roles.ts";
import type { ChannelNames } from "../../core/channels/visible-names.ts";
import { pictureUrl } from "../../core/users/avatars.ts";
import type { Bot } from "../../store/users/bots.ts";
import type { User } from "../../store/users/users.ts";

export const serviceObject = strictObject({ base_url: string(), token: string(), interface: int() });

/** A bot in `realm_bots` and `realm_bot` events, for its owner and administrators. */
export const botObject = strictObject({
  user_id: int(),
  email: string(),
  full_name: string(),
  bot_type: int(),
  is_active: bool(),
  api_key: string(),
  default_sending_stream: nullable(string()),
  default_events_register_stream: nullable(string()),
  default_all_public_streams: bool(),
  avatar_url: string(),
  owner_id: nullable(int()),
  services: list(serviceObject),
});
export type BotObject = Value<typeof botObject>;

/** The channels that are named as a bot's defaults. */
export const channelIdsOf = ({
  defaultSendingChannel,
  defaultEventsRegisterChannel,
}: Record<"defaultSendingChannel" | "defaultEventsRegisterChannel", number | null | undefined>): number[] =>
  [defaultSendingChannel, defaultEventsRegisterChannel].filter((id) => id !== null && id !== undefined);

const nameOf = (id: number | null, names: ChannelNames) => (id === null ? null : (names.get(id) ?? null));

export const toServicesWire = (bot: Bot) =>
  bot.services.map(({ baseUrl, token, interface: kind }) => ({ base_url: baseUrl, token, interface: kind }));

export const toDefaultsWire = (bot: Bot, names: ChannelNames) => ({
  default_sending_stream: nameOf(bot.defaultSendingChannel, names),
  default_events_register_stream: nameOf(bot.defaultEventsRegisterChannel, names),
  default_all_public_streams: bot.defaultAllPublicStreams,
});

export const toBotWire = (bot: Bot, user: User, apiKey: string, names: ChannelNames): BotObject => ({
  user_id: user.id,
  email: user.email,
  full_name: user.fullName,
  bot_type: user.botType ?? botTypes.generic,
  is_active: user.active,
  api_key: apiKey,
  ...toDefaultsWire(bot, names),
  avatar_url: pictureUrl(user),
  owner_id: bot.ownerId,
  services: toServicesWire(bot),
});
