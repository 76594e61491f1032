import { findBot } from "../store/bots.ts";
import type { LoggedEvent } from "../store/log.ts";
import { withKeys } from "./state.ts";
import { wireBot } from "./wire.ts";

/**
 * A logged event about a bot as its owner and administrators receive it: the log keeps no API key and says
 * `{ op: "add", bot_id }` and `{ op: "update", bot, with_key }`. Needs the secret; other events are as they are.
 */
export async function showBotEvent({ event }: LoggedEvent): Promise<LoggedEvent["event"][]> {
  if (event.type !== "realm_bot") return [event];
  const { with_key, bot_id, ...rest } = event;
  const isAdd = event.op === "add";
  if (!isAdd && with_key !== true) return [rest];
  const changed = event.bot as { user_id: number } | undefined;
  const bot = await findBot(isAdd ? (bot_id as number) : (changed?.user_id ?? 0));
  const [shown] = bot ? await withKeys([bot]) : [];
  if (!shown) return [];
  if (isAdd) return [{ ...rest, bot: wireBot(shown.bot, shown.user, shown.apiKey, shown.names) }];
  return [{ ...rest, bot: { ...changed, api_key: shown.apiKey } }];
}
