import type { Role } from "../../base/schema/roles.ts";
import { findVisibleChannelNames } from "../../core/channels/visible-names.ts";
import { type Caller, isAdministrator } from "../../services/identity/caller.ts";
import { type Bot, findBot, listBots } from "../../store/users/bots.ts";
import type { LoggedBotEvent, RealmBotEvent } from "./event-types.ts";
import { loadBotDetails } from "./state.ts";
import { channelIdsOf, toBotWire, toDefaultsWire } from "./wire.ts";

/**
 * The client's version of a logged event about a bot, for its owner and administrators; none if the bot no longer exists.
 * Needs the deployment's secret, since the log contains no API keys.
 */
export async function toClientBotEvents(event: LoggedBotEvent, reader: Caller): Promise<RealmBotEvent[]> {
  if (event.op === "delete") return [event];
  if (event.op === "add") {
    const details = await findBotDetails(event.bot_id, reader);
    if (!details) return [];
    return [{ type: "realm_bot", op: "add", bot: toBotWire(details.bot, details.user, details.apiKey, details.names) }];
  }
  const { with_key, ...update } = event;
  const bot = { ...update.bot, ...(await visibleDefaults(update.bot, reader)) };
  if (!with_key) return [{ ...update, bot }];
  const details = await findBotDetails(bot.user_id, reader);
  return details ? [{ ...update, bot: { ...bot, api_key: details.apiKey } }] : [];
}

const namesOfDefaults = ["default_sending_stream", "default_events_register_stream"] as const;

/**
 * Those of an event's default channels that are set, as the reader may see them: an administrator may set channels that the
 * owner may not see.
 */
async function visibleDefaults(
  { user_id: id, ...changes }: Extract<LoggedBotEvent, { op: "update" }>["bot"],
  reader: Caller,
): Promise<Partial<typeof changes>> {
  const named = namesOfDefaults.filter((name) => typeof changes[name] === "string");
  const bot = named.length > 0 && !isAdministrator(reader) ? await findBot(id) : undefined;
  if (!bot) return {};
  const defaults = toDefaultsWire(bot, await findVisibleChannelNames(reader, channelIdsOf(bot)));
  return Object.fromEntries(named.map((name) => [name, defaults[name]]));
}

/** The default channels of the reader's own bots, as the reader may see them now: one event for each bot that has some. */
export async function defaultChannelsEvents(reader: Caller, bots: readonly Bot[]): Promise<RealmBotEvent[]> {
  const own = bots.filter((bot) => bot.ownerId === reader.id && channelIdsOf(bot).length > 0);
  if (own.length === 0) return [];
  const names = await findVisibleChannelNames(reader, own.flatMap(channelIdsOf));
  return own.map((bot) => {
    const { default_all_public_streams: _, ...defaults } = toDefaultsWire(bot, names);
    return { type: "realm_bot", op: "update", bot: { user_id: bot.id, ...defaults } };
  });
}

/** Administrators see everybody's bots: the events for who becomes one, or no longer is one. 2 read units for each bot that appears. */
export async function botEventsOfRole(
  caller: Caller,
  { before, after }: { before: Role; after: Role },
): Promise<RealmBotEvent[]> {
  const appear = isAdministrator({ role: after });
  if (isAdministrator({ role: before }) === appear) return [];
  const others = (await listBots()).filter(({ ownerId }) => ownerId !== caller.id);
  if (!appear) return others.map(({ id }) => ({ type: "realm_bot", op: "delete", bot: { user_id: id } }));
  return (await loadBotDetails(others, { ...caller, role: after })).map(({ bot, user, apiKey, names }) => ({
    type: "realm_bot",
    op: "add",
    bot: toBotWire(bot, user, apiKey, names),
  }));
}

async function findBotDetails(id: number, reader: Caller) {
  const bot = await findBot(id);
  return bot ? (await loadBotDetails([bot], reader))[0] : undefined;
}
