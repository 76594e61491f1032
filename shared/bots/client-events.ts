import { findBot } from "../store/users/bots.ts";
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

async function findBotDetails(id: number) {
  const bot = await findBot(id);
  return bot ? (await loadBotDetails([bot]))[0] : undefined;
}
