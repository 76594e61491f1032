import { effectiveUserSettings } from "../../base/schema/user-settings.ts";
import { toCaller } from "../../services/identity/access.ts";
import type { Caller } from "../../services/identity/caller.ts";
import { loadRealm, type Realm } from "../../services/organization/access.ts";
import type { DataExport, ExportWork } from "../../store/organization/exports.ts";
import { findAccount } from "../../store/users/accounts.ts";
import { findSettingsOfUsers } from "../../store/users/user-settings.ts";
import { listUsers, type User } from "../../store/users/users.ts";
import { Lists } from "./lists.ts";
import { Scope } from "./scope.ts";

/** The data that all phases of an export use; loaded once for each step. */
export interface Context {
  dataExport: DataExport;
  lastMessageId: number;
  realm: Realm;
  /** The administrator who requested the export: addresses that they may not see are not exported. */
  administrator: Caller;
  /** Those who existed when the export began, by ID. */
  users: User[];
  /** IDs of the users whose private data is included, ascending: they consented when the export began, and still do. */
  consentingIds: number[];
  scope: Scope;
  lists: Lists;
}

/** Returns what `make` returned for a context: it is made once in a step. */
export function oncePerStep<T>(make: (context: Context) => T): (context: Context) => T {
  const made = new WeakMap<Context, { value: T }>();
  return (context) => {
    const { value } = made.get(context) ?? { value: make(context) };
    made.set(context, { value });
    return value;
  };
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

export async function loadContext(
  dataExport: DataExport,
  { lastMessageId, lists: stored }: ExportWork,
): Promise<Context> {
  const lists = new Lists(dataExport.token, stored);
  const [realm, allUsers, [beginning]] = await Promise.all([loadRealm(), listUsers(), lists.read("beginning")]);
  const requester = allUsers.find(({ id }) => id === dataExport.actingUserId);
  const account = requester && (await findAccount(requester.email));
  if (!account) throw new Error(`The administrator who requested export ${dataExport.id} no longer exists`);
  // Rows of later steps must not refer to users or consent to messages that earlier steps left out.
  const lastUserId = Number(beginning?.last_user_id ?? allUsers.at(-1)?.id ?? 0);
  const firstConsents = beginning && new Set(beginning.consenting_user_ids as number[]);
  const users = allUsers.filter(({ id }) => id <= lastUserId);
  const consents = dataExport.type === 2 ? await consentsOf(users) : [];
  const consentingIds = consents
    .filter(({ userId, consented }) => consented && firstConsents?.has(userId) !== false)
    .map(({ userId }) => userId);
  return {
    ...{ dataExport, lastMessageId, realm, users, consentingIds, lists },
    administrator: toCaller(account),
    scope: new Scope(realm, new Set(consentingIds)),
  };
}
