import { accessRealm, type Realm } from "../organization/access.ts";
import { findAccount } from "../store/accounts.ts";
import type { DataExport, ExportWork } from "../store/exports.ts";
import { findSettingsOfUsers } from "../store/user-settings.ts";
import { listUsers, type User } from "../store/users.ts";
import { callerOf } from "../users/access.ts";
import type { Caller } from "../users/caller.ts";
import { effectiveUserSettings } from "../users/settings.ts";
import { Scope } from "./scope.ts";

/** What every part of an export is written from; read once for each step. */
export interface Context {
  one: DataExport;
  lastMessageId: number;
  realm: Realm;
  /** Who asked for it, as they are now: users are shown as they see them. */
  administrator: Caller;
  /** By ID. */
  users: User[];
  /** IDs of those whose private data are part of it, ascending. */
  consenting: number[];
  scope: Scope;
}

/** Who has what they may read exported: active people who allow it; 0.5 read units for each person. */
export async function consentsOf(users: readonly User[]): Promise<{ userId: number; consented: boolean }[]> {
  const people = users.filter(({ active, botType }) => active && botType === undefined);
  const settings = await findSettingsOfUsers(people.map(({ id }) => id));
  return people.map(({ id }, place) => ({
    userId: id,
    consented: effectiveUserSettings(settings[place]).allow_private_data_export,
  }));
}

export async function contextOf(one: DataExport, { lastMessageId }: ExportWork): Promise<Context> {
  const [realm, users] = await Promise.all([accessRealm(), listUsers()]);
  const asker = users.find(({ id }) => id === one.actingUserId);
  const account = asker && (await findAccount(asker.email));
  if (!account) throw new Error(`The administrator who asked for export ${one.id} is gone`);
  const consents = one.type === 2 ? await consentsOf(users) : [];
  const consenting = consents.filter(({ consented }) => consented).map(({ userId }) => userId);
  return {
    one,
    lastMessageId,
    realm,
    administrator: callerOf(account),
    users,
    consenting,
    scope: new Scope(realm, new Set(consenting)),
  };
}
