import { badRequest, invalidParameterValue, unauthorizedPrincipal } from "../../errors.ts";
import { type Caller, isOwner } from "../../identity/caller.ts";
import { realmPermissionRules } from "../../permissions/permission-rules.ts";
import {
  channelSettingNames,
  limitSettingNames,
  type PermissionName,
  permissionSettings,
  plainSettings,
  type RealmSettings,
} from "../../schema/organization-settings.ts";
import { checkLanguage } from "../../settings/rules.ts";
import { findChannels } from "../../store/channels/channels.ts";
import { accessGroupSettingUpdates, type GroupSettingUpdate } from "../../user-groups/settings.ts";
import type { Realm } from "../access.ts";

/** Settings that only owners may change; the others are for administrators too. */
const forOwners = new Set([
  "message_retention_days",
  "invite_required",
  "password_auth_enabled",
  "create_multiuse_invite_group",
  "can_manage_all_groups",
]);

export function checkMayChange(caller: Caller, names: readonly string[]): void {
  if (!isOwner(caller) && names.some((name) => forOwners.has(name))) throw unauthorizedPrincipal("owner");
}

type Sent = Record<string, unknown>;

/** Translates `authentication_methods` to `password_auth_enabled`, the only supported method. */
export function withAuthentication<T extends { authentication_methods?: Record<string, boolean> | undefined }>(
  sent: T,
) {
  const { authentication_methods: methods, ...others } = sent;
  if (!methods) return others;
  const other = Object.keys(methods).find((method) => method !== "Email" && methods[method]);
  if (other !== undefined) throw badRequest(`Authentication by ${other} is not supported by this server.`);
  return { ...others, ...(methods.Email !== undefined && { password_auth_enabled: methods.Email }) };
}

/** The plain settings of a request in their stored form; a limit is a positive number, or "unlimited". */
export function plainSettingsIn(sent: Sent): Partial<RealmSettings> {
  const values = Object.keys(plainSettings).flatMap((name) => {
    const value = sent[name];
    if (value === undefined) return [];
    if (name === "jitsi_server_url") return [[name, jitsiServer(value as string | null)]];
    return [[name, isLimit(name) ? limitOf(name, value as number | string | null) : value]];
  });
  return Object.fromEntries(values);
}

/** The permission settings of a request. */
export const permissionsIn = (sent: Sent): Partial<Record<PermissionName, GroupSettingUpdate>> =>
  Object.fromEntries(Object.keys(permissionSettings).flatMap((name) => (sent[name] ? [[name, sent[name]]] : [])));

/** Clients send "default" to reset the organization's server. */
function jitsiServer(given: string | null): string | null {
  if (given === null || given === "default") return null;
  if (!/^https?:\/\//i.test(given) || !URL.canParse(given)) throw badRequest("jitsi_server_url is not a URL");
  return given;
}

const isLimit = (name: string) => (limitSettingNames as readonly string[]).includes(name);

function limitOf(name: string, given: number | string | null): number | null {
  if (given === "unlimited" || given === null) return name === "message_retention_days" ? -1 : null;
  if (typeof given === "string" || given <= 0) throw invalidParameterValue(name, given);
  return given;
}

/** Checks the requested changes, and returns only settings and permissions whose value changes. */
export async function accessRealmChanges(
  realm: Realm,
  plain: Partial<RealmSettings>,
  permissions: Partial<Record<PermissionName, GroupSettingUpdate>>,
): Promise<Partial<RealmSettings>> {
  if (plain.default_language !== undefined) checkLanguage(plain.default_language);
  await checkChannels(plain);
  const changed = Object.entries(plain).filter(
    ([name, value]) => value !== undefined && value !== realm.settings[name as keyof RealmSettings],
  );
  const current = realm.settings as Record<PermissionName, RealmSettings[PermissionName]>;
  const granted = await accessGroupSettingUpdates(permissions, current, realmPermissionRules, realm.usersVersion);
  return { ...Object.fromEntries(changed), ...granted } as Partial<RealmSettings>;
}

async function checkChannels(plain: Partial<RealmSettings>): Promise<void> {
  const ids = channelSettingNames.map((name) => plain[name] ?? -1).filter((id) => id !== -1);
  const channels = await findChannels(ids);
  if (channels.some((channel) => !channel || channel.isArchived)) throw badRequest("Invalid channel ID");
}
