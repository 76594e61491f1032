import { creationLimits, tooMany } from "../../base/creation-limits.ts";
import { badRequest, insufficientPermission, missingParameter } from "../../base/errors.ts";
import { type BotType, botTypes } from "../../base/schema/roles.ts";
import { isContentReadable } from "../../core/channels/content-permissions.ts";
import { checkActive, checkMayManageIfOwner } from "../../core/users/access-user.ts";
import { otherBotAddress } from "../../services/identity/bot-domains.ts";
import { type Caller, isAdministrator } from "../../services/identity/caller.ts";
import type { Realm } from "../../services/organization/access.ts";
import { loadPermissions } from "../../services/permissions/access.ts";
import { findChannel, findChannelIdByName } from "../../store/channels/channels.ts";
import { findSubscription } from "../../store/channels/subscriptions.ts";
import { type Bot, findBot, listBots } from "../../store/users/bots.ts";
import { findUsers, type User } from "../../store/users/users.ts";
import { checkAddressFree } from "../users/admission.ts";
import { maxConfigEntries } from "./params.ts";

/**
 * A bot that the caller may change, or an error. The bot's owner and administrators may change it. A bot with the role of
 * organization owner may only be changed by its own owner and by organization owners. 2 read units.
 */
export async function accessBot(caller: Caller, id: number): Promise<{ bot: Bot; user: User }> {
  const [bot, [user]] = await Promise.all([findBot(id), findUsers([id])]);
  if (!bot || !user) throw badRequest("No such bot");
  if (bot.ownerId !== caller.id && !isAdministrator(caller)) throw insufficientPermission();
  if (bot.ownerId !== caller.id) checkMayManageIfOwner(caller, user);
  return { bot, user };
}

/** Like `accessBot`, but throws for a deactivated bot. */
export async function accessActiveBot(caller: Caller, id: number): Promise<{ bot: Bot; user: User }> {
  const accessed = await accessBot(caller, id);
  checkActive(accessed.user);
  return accessed;
}

/**
 * Throws if the caller may not create a bot of this type. Incoming-webhook bots (type 2), which can only write, need one of two
 * permissions. Embedded bots (type 4) are not supported.
 */
export async function checkMayCreateBot(caller: Caller, type: BotType, { settings }: Realm): Promise<BotType> {
  if (type === botTypes.embedded) throw badRequest("Embedded bots are not enabled.");
  const { can_create_bots_group: anyBotPermission, can_create_write_only_bots_group: writeOnlyBotPermission } =
    settings;
  const sufficientPermissions =
    type === botTypes.incomingWebhook ? [anyBotPermission, writeOnlyBotPermission] : [anyBotPermission];
  const isGranted = await loadPermissions(caller, sufficientPermissions, settings);
  if (!sufficientPermissions.some(isGranted)) throw insufficientPermission();
  return type;
}

/**
 * Refuses another bot of an organization that has as many as it may; deactivated ones count. Requests at once may exceed the
 * total by their number. 0.5 read units for about 12 bots.
 */
export async function checkBotCount(): Promise<void> {
  if ((await listBots()).length >= creationLimits.bot.max) throw badRequest(tooMany("bot"));
}

/** Refuses a new bot's address that is in use, also at the other domain at which bots of this server sign in. */
export async function checkBotAddressFree(email: string, serverUrl: string): Promise<void> {
  const other = otherBotAddress(email, serverUrl);
  await Promise.all([email, ...(other === undefined ? [] : [other])].map((address) => checkAddressFree(address)));
}

/**
 * The ID of a bot's default channel, which the caller must be able to read; null for an empty name (none), and undefined if no
 * name is given (no change).
 */
export async function accessBotChannel(caller: Caller, name: string | undefined): Promise<number | null | undefined> {
  if (name === undefined) return undefined;
  if (name.trim() === "") return null;
  const id = await findChannelIdByName(name.trim());
  const [channel, subscription] =
    id === undefined ? [] : await Promise.all([findChannel(id), findSubscription(caller.id, id)]);
  if (!channel || !(await isContentReadable(caller, channel, subscription)))
    throw badRequest(`Invalid channel name '${name}'`);
  return channel.id;
}

/** Checks the syntax of a webhook's URL. Its network address is checked when a request is sent to it. */
export const isPayloadUrl = (url: string): boolean => /^https?:$/.test(URL.parse(url)?.protocol ?? "");

function checkPayloadUrl(url: string): string {
  if (!isPayloadUrl(url)) throw badRequest("payload_url is not a URL");
  return url;
}

/** The service of a new bot: an outgoing webhook (type 3) requires one with a URL, other bots have none. */
export function outgoingWebhookFields(type: BotType, url: string | undefined, interfaceType: 1 | 2) {
  if (type !== botTypes.outgoingWebhook) return {};
  if (url === undefined) throw missingParameter("payload_url");
  return { serviceUrl: checkPayloadUrl(url), interface: interfaceType };
}

/** An outgoing webhook's service with a request's changes; undefined if nothing changes. */
export function applyServiceChange(
  { services: [service] }: Bot,
  url: string | undefined,
  interfaceType: 1 | 2 | undefined,
): Bot["services"] | undefined {
  if (url === undefined && interfaceType === undefined) return undefined;
  if (!service) throw badRequest("The bot is not an outgoing webhook.");
  return [
    { ...service, ...(url && { baseUrl: checkPayloadUrl(url) }), ...(interfaceType && { interface: interfaceType }) },
  ];
}

/** A bot's configuration with a request's changes, of which an empty value removes an entry; undefined if nothing changes. */
export function applyConfigChange(
  { configData }: Bot,
  changed: Record<string, string> | undefined,
): Record<string, string> | undefined {
  if (!changed) return undefined;
  const entries = Object.entries({ ...configData, ...changed }).filter(([, value]) => value !== "");
  if (entries.length > maxConfigEntries)
    throw badRequest(`config_data is too long (limit: ${maxConfigEntries} entries)`);
  return Object.fromEntries(entries);
}
