import { accessRealm } from "../organization/access.ts";
import { fleetSecret } from "../secret.ts";
import { type Account, createAccount } from "../store/accounts.ts";
import { type Bot, createBot } from "../store/bots.ts";
import { takeIds } from "../store/counters.ts";
import { commit, type LoggedEvent } from "../store/log.ts";
import { touchProfiles } from "../store/organization.ts";
import { createUser, type User } from "../store/users.ts";
import { apiKeyOf, hashOfKey, newKeySalt } from "./api-keys.ts";
import type { BotType } from "./caller.ts";
import { hashPassword } from "./passwords.ts";
import { ownerRole, type Role } from "./roles.ts";
import { effectiveUserSettings } from "./settings.ts";
import { consentUpdate, membershipUpdates, systemGroupsOf } from "./tell.ts";
import { wireUser } from "./wire.ts";

export interface NewUser {
  email: string;
  fullName: string;
  role: Role;
  password?: string | undefined;
  /** Of a bot. */
  bot?: { type: BotType; ownerId: number; record: (id: number) => Bot } | undefined;
}

/**
 * Adds a person or a bot; throws ConditionFailed, of the write at 0, when the address is taken. Returns the key, which
 * is stored nowhere.
 */
export async function addUser(wanted: NewUser): Promise<{ user: User; apiKey: string }> {
  const { email, fullName, role, password, bot } = wanted;
  const keySalt = newKeySalt();
  const apiKey = apiKeyOf(await fleetSecret(), keySalt);
  const joinedAt = Math.floor(Date.now() / 1000);
  const [id, realm, passwordHash] = await Promise.all([
    takeIds("user"),
    accessRealm(),
    password === undefined ? undefined : hashPassword(password),
  ]);
  const user: User = {
    id,
    email,
    fullName,
    role,
    active: true,
    joinedAt,
    timezone: "",
    avatarSource: "G",
    avatarVersion: 1,
    ...(bot && { botType: bot.type, ownerId: bot.ownerId }),
  };
  const account: Account = {
    userId: id,
    email,
    keyHash: hashOfKey(apiKey),
    keySalt,
    ...(passwordHash && { passwordHash }),
    role,
    active: true,
    joinedAt,
    ...(bot && { botType: bot.type }),
  };
  const events: LoggedEvent[] = [
    { audience: { kind: "everyone" }, event: { type: "realm_user", op: "add", person: wireUser(user) } },
    bot ? botEvent(user, bot.ownerId) : consentUpdate(id, effectiveUserSettings(undefined).allow_private_data_export),
    ...membershipUpdates("add_members", systemGroupsOf(user, realm), id),
  ];
  return commit({ events: events.length }, () => ({
    writes: [
      createAccount(account),
      createUser(user),
      touchProfiles({ gained: role === ownerRole ? id : undefined }),
      ...(bot ? [createBot(bot.record(id))] : []),
    ],
    events,
    result: { user, apiKey },
  }));
}

/** The log keeps no key: readers fill the bot in (`shared/bots/feed.ts`). */
const botEvent = ({ id }: User, ownerId: number): LoggedEvent => ({
  audience: { kind: "administrators", userIds: [ownerId] },
  event: { type: "realm_bot", op: "add", bot_id: id },
});
