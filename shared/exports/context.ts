import { toCaller } from "../identity/access.ts";
import type { Caller } from "../identity/caller.ts";
import { accessRealm, type Realm } from "../organization/access.ts";
import { effectiveUserSettings } from "../schema/user-settings.ts";
import type { DataExport, ExportWork } from "../store/organization/exports.ts";
import { findAccount } from "../store/users/accounts.ts";
import { findSettingsOfUsers } from "../store/users/user-settings.ts";
import { listUsers, type User } from "../store/users/users.ts";
import { Scope } from "./scope.ts";

/** The data that all phases of an export use; loaded once for each step. */
export interface Context {
  dataExport: DataExport;
  lastMessageId: number;
  realm: Realm;
  /** The administrator who requested the export; users are exported as this administrator sees them. */
  administrator: Caller;
  /** By ID. */
  users: User[];
  /** IDs of the users whose private data is included, ascending. */
  consentingIds: number[];
  scope: Scope;
}

/** Whether each active user consents to the export of private data; costs 0.5 read units per user. */
export async function consentsOf(users: readonly User[]): Promise<{ userId: number; consented: boolean }[]> {
  const people = users.filter(({ active, botType }) => active && botType === undefined);
  const settings = await findSettingsOfUsers(people.map(({ id }) => id));
  return people.map(({ id }, index) => ({
    userId: id,
    consented: effectiveUserSettings(settings[index]).allow_private_data_export,
  }));
}

export async function loadContext(dataExport: DataExport, { lastMessageId }: ExportWork): Promise<Context> {
  const [realm, users] = await Promise.all([accessRealm(), listUsers()]);
  const requester = users.find(({ id }) => id === dataExport.actingUserId);
  const account = requester && (await findAccount(requester.email));
  if (!account) throw new Error(`The administrator who requested export ${dataExport.id} no longer exists`);
  const consents = dataExport.type === 2 ? await consentsOf(users) : [];
  const consentingIds = consents.filter(({ consented }) => consented).map(({ userId }) => userId);
  return {
    dataExport,
    lastMessageId,
    realm,
    administrator: toCaller(account),
    users,
    consentingIds,
    scope: new Scope(realm, new Set(consentingIds)),
  };
}
