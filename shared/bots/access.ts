import { mayHaveContent } from "../channels/content.ts";
import { badRequest } from "../errors.ts";
import { permissionsAmong } from "../groups/access.ts";
import type { Realm } from "../organization/access.ts";
import { type Bot, findBot } from "../store/bots.ts";
import { findChannel, findChannelIdByName } from "../store/channels.ts";
import { findSubscription } from "../store/subscriptions.ts";
import { findUsers, type User } from "../store/users.ts";
import { type BotType, type Caller, isAdministrator } from "../users/caller.ts";

/** A bot that the caller may change: its owner or an administrator may. "No such bot" for what is none. 2 read units. */
export async function accessBot(caller: Caller, id: number): Promise<{ bot: Bot; user: User }> {
  const [bot, [user]] = await Promise.all([findBot(id), findUsers([id])]);
  if (!bot || !user) throw badRequest("No such bot");
  if (bot.ownerId !== caller.id && !isAdministrator(caller)) throw badRequest("Insufficient permission");
  return { bot, user };
}

/** Whoever may create any bot may create one that only writes; for that alone there is a permission of its own. */
export async function checkMayCreateBot(caller: Caller, type: BotType, { settings }: Realm): Promise<void> {
  const { can_create_bots_group: any, can_create_write_only_bots_group: writeOnly } = settings;
  const asked = type === 2 ? [any, writeOnly] : [any];
  const holds = await permissionsAmong(caller, asked, settings);
  if (!asked.some(holds)) throw badRequest("Insufficient permission");
}

/** The ID of the channel that a bot's default names, which the caller may read; empty is none, not given no change. */
export async function accessDefaultChannel(
  caller: Caller,
  name: string | undefined,
): Promise<number | null | undefined> {
  if (name === undefined) return undefined;
  if (name.trim() === "") return null;
  const id = await findChannelIdByName(name.trim());
  const [channel, subscription] =
    id === undefined ? [] : await Promise.all([findChannel(id), findSubscription(caller.id, id)]);
  if (!channel || !(await mayHaveContent(caller, channel, subscription)))
    throw badRequest(`Invalid channel name '${name}'`);
  return channel.id;
}

/** A URL that a bot's events are sent to. Whether its address may be reached is decided when something is sent. */
export function checkPayloadUrl(url: string): string {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? "")) throw badRequest("payload_url is not a URL");
  return url;
}

/** An outgoing webhook's service with what a request changes of it; undefined where it changes nothing. */
export function changedServices(
  { services: [service] }: Bot,
  url: string | undefined,
  kind: 1 | 2 | undefined,
): Bot["services"] | undefined {
  if (url === undefined && kind === undefined) return undefined;
  if (!service) throw badRequest("The bot is not an outgoing webhook.");
  return [{ ...service, ...(url && { baseUrl: checkPayloadUrl(url) }), ...(kind && { interface: kind }) }];
}
