import { type BotType, ownerRole, type Role } from "../../base/schema/roles.ts";
import { type EmailVisibility, effectiveUserSettings } from "../../base/schema/user-settings.ts";
import { nowSeconds } from "../../base/time.ts";
import { toProfileDataWire } from "../../core/profile-fields/wire.ts";
import { initialUserSettings } from "../../core/settings/rules.ts";
import { hashPassword } from "../../core/users/passwords.ts";
import { consentEvent, membershipEvents, systemGroupsOf } from "../../core/users/user-events.ts";
import { toUserWire } from "../../core/users/wire.ts";
import { newApiKey } from "../../services/identity/api-keys.ts";
import { loadRealm } from "../../services/organization/access.ts";
import type { LoggedEvent } from "../../store/log/entry.ts";
import { type ChangePart, commit, noChange } from "../../store/log/log.ts";
import { auditRecord } from "../../store/organization/audit-log.ts";
import { bumpUsersVersion } from "../../store/organization/organization.ts";
import { takeIds } from "../../store/table/counters.ts";
import { withRefusal } from "../../store/table/writes.ts";
import { type Account, createAccount } from "../../store/users/accounts.ts";
import { putBotKey } from "../../store/users/bot-keys.ts";
import { type Bot, createBot } from "../../store/users/bots.ts";
import { createIdentity } from "../../store/users/identities.ts";
import { updateUserSettings } from "../../store/users/user-settings.ts";
import { createUser, type User } from "../../store/users/users.ts";
import { emailInUse } from "./changes.ts";

interface NewUser {
  email: string;
  fullName: string;
  role: Role;
  password?: string | undefined;
  /** Who they are at an identity provider (`shared/store/users/identities.ts`). */
  identity?: string | undefined;
  /** Bots only. */
  bot?: { type: BotType; ownerId: number; record: (id: number) => Bot } | undefined;
}

/**
 * Creates a user or bot, in one transaction with what `composeExtra` adds, and returns the API key, which is stored nowhere.
 * Refuses an address that is in use.
 */
export async function addUser(
  newUser: NewUser,
  composeExtra: (user: User) => ChangePart = () => noChange,
): Promise<{ user: User; apiKey: string }> {
  const { email, fullName, role, password, identity, bot } = newUser;
  const { apiKey, keySalt, keyHash } = await newApiKey();
  const joinedAt = nowSeconds();
  const [id, realm, passwordHash] = await Promise.all([
    takeIds("user"),
    loadRealm(),
    password === undefined ? undefined : hashPassword(password),
  ]);
  const settings = initialUserSettings(realm);
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
    ...(!bot &&
      settings.email_address_visibility !== undefined && {
        emailVisibility: settings.email_address_visibility as EmailVisibility,
      }),
    ...(!bot && settings.presence_enabled === false && { hidesPresence: true }),
    ...(bot && { botType: bot.type, ownerId: bot.ownerId }),
  };
  const account: Account = {
    userId: id,
    email,
    keyHash,
    keySalt,
    ...(passwordHash && { passwordHash }),
    ...(identity !== undefined && { identity }),
    role,
    active: true,
    joinedAt,
    ...(bot && { botType: bot.type }),
  };
  const extra = composeExtra(user);
  const events: LoggedEvent[] = [
    {
      audience: { kind: "everyone" },
      event: { type: "realm_user", op: "add", person: { ...toUserWire(user), ...toProfileDataWire(user, []) } },
    },
    bot ? botEvent(user, bot.ownerId) : consentEvent(id, effectiveUserSettings(settings).allow_private_data_export),
    ...membershipEvents("add_members", systemGroupsOf(user, realm), id),
    ...extra.events,
  ];
  await commit({
    writes: [
      withRefusal(createAccount(account), () => emailInUse(email)),
      createUser(user),
      ...(identity === undefined ? [] : [createIdentity(identity, id)]),
      bumpUsersVersion({ gained: role === ownerRole ? id : undefined }),
      ...(bot ? [createBot(bot.record(id)), putBotKey(account)] : []),
      ...(bot || Object.keys(settings).length === 0 ? [] : [updateUserSettings(id, { set: settings })]),
      auditRecord("user_created", {
        ...{ userId: id, name: fullName },
        after: { role, ...(bot && { bot_type: bot.type, bot_owner_id: bot.ownerId }) },
      }),
      ...extra.writes,
    ],
    events,
    followUps: extra.followUps ?? [],
  });
  return { user, apiKey };
}

/** The log keeps no key: readers fill the bot in (`shared/features/bots/client-events.ts`). */
const botEvent = ({ id }: User, ownerId: number): LoggedEvent => ({
  audience: { kind: "administrators", userIds: [ownerId] },
  event: { type: "realm_bot", op: "add", bot_id: id },
});
