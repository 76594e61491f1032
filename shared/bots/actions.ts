import { isAdministrator } from "../identity/caller.ts";
import { type BotType, roles } from "../schema/roles.ts";
import { eventForUser, type LoggedEvent } from "../store/log/entry.ts";
import { commit } from "../store/log/log.ts";
import { bumpUsersVersion } from "../store/organization/organization.ts";
import { ConditionFailed } from "../store/table/transactions.ts";
import { type Bot, updateBot } from "../store/users/bots.ts";
import { findUsers, type User, updateUser } from "../store/users/users.ts";
import { emailInUse } from "../users/manage/changes.ts";
import { addUser } from "../users/manage/create.ts";
import { regenerateKey } from "../users/manage/key-actions.ts";
import { userUpdateEvent } from "../users/user-events.ts";
import { type ChannelNames, toDefaultsWire, toServicesWire } from "./wire.ts";

interface NewBot {
  email: string;
  fullName: string;
  type: BotType;
  ownerId: number;
  record: (id: number) => Bot;
}

/** Adds a bot; throws if its address is in use. Also returns its API key. */
export const addBot = ({ email, fullName, ...bot }: NewBot): Promise<{ user: User; apiKey: string }> =>
  addUser({ email, fullName, role: roles.member, bot }).catch((error: unknown) => {
    throw error instanceof ConditionFailed && error.failed.includes(0) ? emailInUse() : error;
  });

const botAudience = (ownerId: number | null): LoggedEvent["audience"] => ({
  kind: "administrators",
  userIds: ownerId === null ? [] : [ownerId],
});

/** The changes of a request to a bot. */
export interface BotChange {
  fullName?: string | undefined;
  /** The new owner, who must differ from the current one. */
  owner?: User | undefined;
  defaultSendingChannel?: number | null | undefined;
  defaultEventsRegisterChannel?: number | null | undefined;
  defaultAllPublicStreams?: boolean | undefined;
  services?: Bot["services"] | undefined;
  configData?: Record<string, string> | undefined;
}

/** Changes a bot and logs the events. A change of owners costs 1 more read unit. */
export async function changeBot(bot: Bot, user: User, change: BotChange, names: ChannelNames): Promise<Bot> {
  const { fullName, owner, ...rest } = change;
  const changed = { ...rest, ownerId: owner?.id };
  const given = Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined)) as Partial<Bot>;
  const after: Bot = { ...bot, ...given };
  const changedFields = {
    ...(fullName !== undefined && { full_name: fullName }),
    ...(owner && { owner_id: owner.id }),
    ...changedDefaults(given, after, names),
    ...(given.services && { services: toServicesWire(after) }),
  };
  const events: LoggedEvent[] = [
    ...(fullName === undefined ? [] : [userUpdateEvent(user.id, { full_name: fullName })]),
    ...(owner ? [userUpdateEvent(user.id, { bot_owner_id: owner.id })] : []),
    {
      audience: botAudience(owner ? null : bot.ownerId),
      event: { type: "realm_bot", op: "update", bot: { user_id: user.id, ...changedFields } },
    },
    ...(owner ? await ownerChangeEvents(bot, owner) : []),
  ];
  const userChanges = {
    ...(fullName !== undefined && { fullName }),
    ...(given.ownerId !== undefined && { ownerId: given.ownerId }),
  };
  await commit({ events: events.length }, () => ({
    writes: [
      ...(Object.keys(given).length > 0 ? [updateBot(bot.id, given)] : []),
      ...(Object.keys(userChanges).length > 0 ? [updateUser(user.id, { set: userChanges }), bumpUsersVersion()] : []),
    ],
    events,
    result: undefined,
  }));
  return after;
}

/** The former owner's and the new owner's events. Administrators see all bots, so nothing changes for them. */
async function ownerChangeEvents({ id, ownerId }: Bot, to: User): Promise<LoggedEvent[]> {
  const [from] = ownerId === null ? [] : await findUsers([ownerId]);
  return [
    ...(from && !isAdministrator(from)
      ? [eventForUser(from.id, { type: "realm_bot", op: "delete", bot: { user_id: id } })]
      : []),
    ...(isAdministrator(to) ? [] : [eventForUser(to.id, { type: "realm_bot", op: "add", bot_id: id })]),
  ];
}

/** The changed ones of a bot's defaults, as on the wire. */
function changedDefaults(given: Partial<Bot>, after: Bot, names: ChannelNames) {
  const all = toDefaultsWire(after, names);
  return {
    ...("defaultSendingChannel" in given && { default_sending_stream: all.default_sending_stream }),
    ...("defaultEventsRegisterChannel" in given && {
      default_events_register_stream: all.default_events_register_stream,
    }),
    ...("defaultAllPublicStreams" in given && { default_all_public_streams: all.default_all_public_streams }),
  };
}

/** Gives a bot a new API key, and sends it to its owner and administrators. */
export const regenerateBotKey = ({ ownerId }: Bot, { id, email }: User): Promise<string> =>
  regenerateKey(email, id, {
    events: [
      {
        audience: botAudience(ownerId),
        event: { type: "realm_bot", op: "update", bot: { user_id: id }, with_key: true },
      },
    ],
  });
