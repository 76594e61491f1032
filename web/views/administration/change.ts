import type { Input } from "../../base/api/calls.ts";
import { call } from "../../session/session.ts";
import { realm } from "../../session/store.ts";
import { tryTo } from "../../session/toasts.ts";
import type { Realm } from "../../state/model.ts";

/** Reading and saving the organization's settings. */

type Changes = Input<"PATCH /realm">;
/** The settings by their names without `realm_`. */
type Settings = { [K in keyof Realm as K extends `realm_${infer Name}` ? Name : never]: Realm[K] };

export type SettingName = keyof Settings & keyof Changes;

/** The names of the settings whose values are of a type. */
export type SettingNameOf<T> = {
  [N in SettingName]: NonNullable<Settings[N]> extends T ? N : never;
}[SettingName];

export const settingOf = <N extends SettingName>(name: N) =>
  realm.value?.[`realm_${name}` as keyof Realm] as Settings[N];

/** Saves changed settings; throws if the server refuses them or cannot be reached. */
export const saveOrganization = (changes: Changes) =>
  call("PATCH /realm", Object.fromEntries(Object.entries(changes).map(encodeSetting)));

/** Saves a changed setting; shows a notice if it fails, and returns whether it succeeded. */
export const changeOrganization = <N extends SettingName>(name: N, value: Changes[N]) =>
  tryTo(() => saveOrganization({ [name]: value }));

/** Quotes texts as JSON, because the server would parse a text in quotation marks as JSON. It never parses `name`. */
const encodeSetting = ([name, value]: [string, unknown]) => [
  name,
  typeof value === "string" && name !== "name" ? JSON.stringify(value) : value,
];

/** Settings that only owners can change. */
export const ownerSettings: ReadonlySet<SettingName> = new Set([
  "message_retention_days",
  "invite_required",
  "password_auth_enabled",
  "session_age_limit_seconds",
  "session_idle_limit_seconds",
  "second_factor_required_from",
  "create_multiuse_invite_group",
  "can_manage_all_groups",
]);
