import type { Role } from "../../base/schema/roles.ts";
import { type Caller, isAdministrator } from "../../services/identity/caller.ts";
import { findBot, listBots } from "../../store/users/bots.ts";
import type { LoggedBotEvent, RealmBotEvent } from "./event-types.ts";
import { loadBotDetails } from "./state.ts";
import { toBotWire } from "./wire.ts";

/**
 * The client's version of a logged event about a bot, for its owner and administrators; none if the bot no longer exists.
 * Needs the deployment's secret, since the log contains no API keys.
 */
export async function toClientBotEvents(event: LoggedBotEvent): Promise<RealmBotEvent[]> {
  if (event.op === "delete") return [event];
  if (event.op === "add") {
    const details = await findBotDetails(event.bot_id);
    if (!details) return [];
    return [{ type: "realm_bot", op: "add", bot: toBotWire(details.bot, details.user, details.apiKey, details.names) }];
  }
  const { with_key, ...update } = event;
  if (!with_key) return [update];
  const details = await findBotDetails(update.bot.user_id);
  return details ? [{ ...update, bot: { ...update.bot, api_key: details.apiKey } }] : [];
}

/** More bots than this are not told of at once: one entry of the log becomes at most some hundred events. */
const maxBotsPerRoleChange = 100;

/** Administrators see everybody's bots: the events for who becomes one, or no longer is one. 2 read units for each bot that appears. */
export async function botEventsOfRole(
  caller: Pick<Caller, "id">,
  { before, after }: { before: Role; after: Role },
): Promise<RealmBotEvent[]> {
  const appear = isAdministrator({ role: after });
  if (isAdministrator({ role: before }) === appear) return [];
  const others = (await listBots()).filter(({ ownerId }) => ownerId !== caller.id).slice(0, maxBotsPerRoleChange);
  if (!appear) return others.map(({ id }) => ({ type: "realm_bot", op: "delete", bot: { user_id: id } }));
  return (await loadBotDetails(others)).map(({ bot, user, apiKey, names }) => ({
    type: "realm_bot",
    op: "add",
    bot: toBotWire(bot, user, apiKey, names),
  }));
}

async function findBotDetails(id: number) {
  const bot = await findBot(id);
  return bot ? (await loadBotDetails([bot]))[0] : undefined;
}
