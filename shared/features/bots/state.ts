import { type ChannelNames, findVisibleChannelNames } from "../../core/channels/visible-names.ts";
import { apiKeyOfAccount } from "../../services/identity/api-keys.ts";
import { type Caller, isAdministrator } from "../../services/identity/caller.ts";
import { type Account, findAccounts } from "../../store/users/accounts.ts";
import { type Bot, findBots, listBots } from "../../store/users/bots.ts";
import { findUsers, type User } from "../../store/users/users.ts";
import { type BotObject, channelIdsOf, toBotWire } from "./wire.ts";

/** A bot with everything that clients see of it. */
interface BotDetails {
  bot: Bot;
  user: User;
  apiKey: string;
  /** The names of the channels that the viewer may see. */
  names: ChannelNames;
}

/**
 * Bots with their users and keys, in the order of `bots`, as `viewer` may see them; 2 read units each, two round trips. Needs the
 * deployment's secret.
 */
export async function loadBotDetails(bots: readonly Bot[], viewer: Caller): Promise<BotDetails[]> {
  const [found, names] = await Promise.all([
    findUsers(bots.map(({ id }) => id)),
    findVisibleChannelNames(viewer, bots.flatMap(channelIdsOf)),
  ]);
  const users = found.flatMap((user) => user ?? []);
  return withKeys(bots, users, await findAccounts(users.map(({ email }) => email)), names);
}

/** `accounts` are those of `users`, in the same order. Leaves out bots without a user or without an account. */
async function withKeys(
  bots: readonly Bot[],
  users: readonly User[],
  accounts: readonly (Account | undefined)[],
  names: ChannelNames,
): Promise<BotDetails[]> {
  const byId = new Map(users.map((user, index) => [user.id, { user, account: accounts[index] }]));
  const details = await Promise.all(
    bots.map(async (bot) => {
      const { user, account } = byId.get(bot.id) ?? {};
      return user && account ? [{ bot, user, apiKey: await apiKeyOfAccount(account), names }] : [];
    }),
  );
  return details.flat();
}

/**
 * `realm_bots`: the caller's own bots; administrators see all. Needs the deployment's secret. Pass `users` if all are read
 * anyway: then only the bots that the caller may see are read, 2 read units each.
 */
export async function realmBotState(caller: Caller, users?: readonly User[]): Promise<BotObject[]> {
  const isVisible = ({ ownerId }: { ownerId?: number | null }) => isAdministrator(caller) || ownerId === caller.id;
  const details = users
    ? await loadBots(
        users.filter((user) => user.botType !== undefined && !user.isSystemBot && isVisible(user)),
        caller,
      )
    : await loadBotDetails((await listBots()).filter(isVisible), caller);
  return details.map(({ bot, user, apiKey, names }) => toBotWire(bot, user, apiKey, names));
}

async function loadBots(users: readonly User[], viewer: Caller): Promise<BotDetails[]> {
  const [bots, accounts] = await Promise.all([
    findBots(users.map(({ id }) => id)),
    findAccounts(users.map(({ email }) => email)),
  ]);
  return withKeys(bots, users, accounts, await findVisibleChannelNames(viewer, bots.flatMap(channelIdsOf)));
}
