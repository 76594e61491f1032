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
    const shown = await findWithKey(event.bot_id);
    if (!shown) return [];
    return [{ type: "realm_bot", op: "add", bot: toBotWire(shown.bot, shown.user, shown.apiKey, shown.names) }];
  }
  const { with_key, ...update } = event;
  if (!with_key) return [update];
  const shown = await findWithKey(update.bot.user_id);
  return shown ? [{ ...update, bot: { ...update.bot, api_key: shown.apiKey } }] : [];
}

async function findWithKey(id: number) {
  const bot = await findBot(id);
  return bot ? (await loadBotDetails([bot]))[0] : undefined;
}
