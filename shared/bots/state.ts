import { apiKeyOfAccount } from "../identity/api-keys.ts";
import { type Caller, isAdministrator } from "../identity/caller.ts";
import { findChannels } from "../store/channels/channels.ts";
import { findAccounts } from "../store/users/accounts.ts";
import { type Bot, listBots } from "../store/users/bots.ts";
import { findUsers, type User } from "../store/users/users.ts";
import { type BotObject, type ChannelNames, channelIdsOf, toBotWire } from "./wire.ts";

/** A bot with everything that clients see of it. */
export interface BotDetails {
  bot: Bot;
  user: User;
  apiKey: string;
  names: ChannelNames;
}

/** Bots with their users and keys, in the order of `bots`; 2 read units each, two round trips. Needs the secret. */
export async function loadBotDetails(bots: readonly Bot[]): Promise<BotDetails[]> {
  const channelIds = bots.flatMap(channelIdsOf);
  const [users, channels] = await Promise.all([findUsers(bots.map(({ id }) => id)), findChannels(channelIds)]);
  const names = new Map(channels.flatMap((channel) => (channel ? [[channel.id, channel.name]] : [])));
  const accounts = await findAccounts(users.map((user) => user?.email ?? ""));
  const shown = await Promise.all(
    bots.map(async (bot, index) => {
      const [user, account] = [users[index], accounts[index]];
      return user && account ? [{ bot, user, apiKey: await apiKeyOfAccount(account), names }] : [];
    }),
  );
  return shown.flat();
}

/** `realm_bots`: the caller's own bots; administrators see all. Needs the secret. */
export async function realmBotState(caller: Caller): Promise<BotObject[]> {
  const bots = (await listBots()).filter(({ ownerId }) => isAdministrator(caller) || ownerId === caller.id);
  return (await loadBotDetails(bots)).map(({ bot, user, apiKey, names }) => toBotWire(bot, user, apiKey, names));
}
