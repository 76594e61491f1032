import { type BotType, roles } from "../../base/schema/roles.ts";
import type { ChannelNames } from "../../core/channels/visible-names.ts";
import { userUpdateEvent } from "../../core/users/user-events.ts";
import { apiKeyOfAccount } from "../../services/identity/api-keys.ts";
import { isAdministrator } from "../../services/identity/caller.ts";
import { eventForUser, type LoggedEvent } from "../../store/log/entry.ts";
import type { Change } from "../../store/log/log.ts";
import { auditRecord, difference } from "../../store/organization/audit-log.ts";
import { bumpUsersVersion } from "../../store/organization/organization.ts";
import { type Account, findAccount } from "../../store/users/accounts.ts";
import { type Bot, updateBot } from "../../store/users/bots.ts";
import { findUsers, type User, updateUser } from "../../store/users/users.ts";
import { addUser } from "../users/create.ts";
import { regenerateKey } from "../users/key-actions.ts";
import { toDefaultsWire, toServicesWire } from "./wire.ts";

interface NewBot {
  email: string;
  fullName: string;
  type: BotType;
  ownerId: number;
  /** Builds the bot's record once its user ID is known. */
  record: (id: number) => Bot;
}

/** Adds a bot; throws if its address is in use. Also returns its API key. */
export const addBot = ({ email, fullName, ...bot }: NewBot): Promise<{ user: User; apiKey: string }> =>
  addUser({ email, fullName, role: roles.member, bot });

const botAudience = (ownerId: number | null): LoggedEvent["audience"] => ({
  kind: "administrators",
  userIds: ownerId === null ? [] : [ownerId],
});

interface BotChange {
  fullName?: string | undefined;
  /** The new owner, who must differ from the current one. */
  owner?: User | undefined;
  defaultSendingChannel?: number | null | undefined;
  defaultEventsRegisterChannel?: number | null | undefined;
  defaultAllPublicStreams?: boolean | undefined;
  services?: Bot["services"] | undefined;
  configData?: Record<string, string> | undefined;
}

/**
 * Changes a bot; also returns it as it then is. Conflicts if its services or configuration are changed and others have done so since
 * `bot` was read. A change of owners costs 1 more read unit.
 */
export async function changeBot(
  bot: Bot,
  user: User,
  requested: BotChange,
  names: ChannelNames,
): Promise<{ change: Change; after: Bot }> {
  const { fullName, owner, ...rest } = requested;
  const botFields = { ...rest, ownerId: owner?.id };
  const botChanges = Object.fromEntries(
    Object.entries(botFields).filter(([, value]) => value !== undefined),
  ) as Partial<Bot>;
  const after: Bot = { ...bot, ...botChanges };
  const wireChanges = {
    ...(fullName !== undefined && { full_name: fullName }),
    ...(owner && { owner_id: owner.id }),
    ...changedDefaults(botChanges, after, names),
    ...(botChanges.services && { services: toServicesWire(after) }),
  };
  const events: LoggedEvent[] = [
    ...(fullName === undefined ? [] : [userUpdateEvent(user.id, { full_name: fullName })]),
    ...(owner ? [userUpdateEvent(user.id, { bot_owner_id: owner.id })] : []),
    {
      audience: botAudience(owner ? null : bot.ownerId),
      event: { type: "realm_bot", op: "update", bot: { user_id: user.id, ...wireChanges } },
    },
    ...(owner ? await ownerChangeEvents(bot, owner) : []),
  ];
  const userChanges = {
    ...(fullName !== undefined && { fullName }),
    ...(botChanges.ownerId !== undefined && { ownerId: botChanges.ownerId }),
  };
  const change = {
    writes: [
      ...(Object.keys(botChanges).length > 0 ? [updateBot(bot, botChanges)] : []),
      ...(Object.keys(userChanges).length > 0 ? [updateUser(user.id, { set: userChanges }), bumpUsersVersion()] : []),
      auditRecord("bot_changed", {
        userId: user.id,
        name: user.fullName,
        ...recordedChange(bot, after, user, fullName),
      }),
    ],
    events,
  };
  return { change, after };
}

/**
 * What the audit log says of a bot's change: of a service's address only its server, because the rest may be a secret, and of the
 * configuration, which has secrets, only the changed names.
 */
function recordedChange(before: Bot, after: Bot, user: User, fullName = user.fullName) {
  const recorded = (bot: Bot, name: string) => ({
    full_name: name,
    bot_owner_id: bot.ownerId,
    service: bot.services[0] && new URL(bot.services[0].baseUrl).origin,
    default_sending_stream_id: bot.defaultSendingChannel,
    default_events_register_stream_id: bot.defaultEventsRegisterChannel,
    default_all_public_streams: bot.defaultAllPublicStreams,
  });
  const { before: former, after: present } = difference(recorded(before, user.fullName), recorded(after, fullName));
  const entries = { ...before.configData, ...after.configData };
  const changedEntries = Object.keys(entries).filter((name) => before.configData?.[name] !== after.configData?.[name]);
  return {
    before: former,
    after: { ...present, ...(changedEntries.length > 0 && { changed_config: changedEntries }) },
  };
}

/** The former owner's and the new owner's events. Administrators see all bots, so nothing changes for them. */
async function ownerChangeEvents({ id, ownerId }: Bot, newOwner: User): Promise<LoggedEvent[]> {
  const [formerOwner] = ownerId === null ? [] : await findUsers([ownerId]);
  return [
    ...(formerOwner && !isAdministrator(formerOwner)
      ? [eventForUser(formerOwner.id, { type: "realm_bot", op: "delete", bot: { user_id: id } })]
      : []),
    ...(isAdministrator(newOwner) ? [] : [eventForUser(newOwner.id, { type: "realm_bot", op: "add", bot_id: id })]),
  ];
}

/** Those of a bot's default channels that a request changes, as on the wire. */
function changedDefaults(botChanges: Partial<Bot>, after: Bot, names: ChannelNames) {
  const defaults = toDefaultsWire(after, names);
  return {
    ...("defaultSendingChannel" in botChanges && { default_sending_stream: defaults.default_sending_stream }),
    ...("defaultEventsRegisterChannel" in botChanges && {
      default_events_register_stream: defaults.default_events_register_stream,
    }),
    ...("defaultAllPublicStreams" in botChanges && { default_all_public_streams: defaults.default_all_public_streams }),
  };
}

async function findBotAccount({ id, email }: User): Promise<Account> {
  const account = await findAccount(email);
  if (!account) throw new Error(`Bot ${id} has no account`);
  return account;
}

/** A bot's API key. Needs the deployment's secret; 1 read unit. */
export const keyOfBot = async (user: User): Promise<string> => apiKeyOfAccount(await findBotAccount(user));

/** Gives a bot a new API key, and sends it to its owner and administrators. */
export async function regenerateBotKey({ ownerId }: Bot, user: User): Promise<string> {
  const { id, email } = user;
  const account = await findBotAccount(user);
  return regenerateKey(email, id, {
    formerBotKey: account.keyHash,
    events: [
      {
        audience: botAudience(ownerId),
        event: { type: "realm_bot", op: "update", bot: { user_id: id }, with_key: true },
      },
    ],
  });
}
