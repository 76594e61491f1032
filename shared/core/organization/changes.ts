import { badRequest, invalidParameterValue, unauthorizedPrincipal } from "../../base/errors.ts";
import {
  channelSettingNames,
  type PermissionName,
  permissionSettings,
  plainSettings,
  type RealmSettings,
  requiredFromRange,
  sessionLimitRange,
} from "../../base/schema/organization-settings.ts";
import { type Caller, isOwner } from "../../services/identity/caller.ts";
import { identityProviders, providerMethods } from "../../services/identity/providers.ts";
import type { Realm } from "../../services/organization/access.ts";
import { realmPermissionRules } from "../../services/permissions/permission-rules.ts";
import { findChannels } from "../../store/channels/channels.ts";
import { checkLanguage } from "../settings/rules.ts";
import { checkGroupSettingUpdates, type GroupSettingUpdate } from "../user-groups/settings.ts";
import { isLimit } from "./params.ts";

/** Settings that only owners may change; the others are for administrators too. */
const ownerOnlySettings = new Set([
  "message_retention_days",
  "invite_required",
  "password_auth_enabled",
  "session_age_limit_seconds",
  "session_idle_limit_seconds",
  "second_factor_required_from",
  "create_multiuse_invite_group",
  "can_manage_all_groups",
]);

export function checkMayChange(caller: Caller, names: readonly string[]): void {
  if (!isOwner(caller) && names.some((name) => ownerOnlySettings.has(name))) throw unauthorizedPrincipal("owner");
}

type RequestParams = Record<string, unknown>;

/**
 * Translates `authentication_methods` to `password_auth_enabled`. The operator alone switches identity providers on and off, so
 * that other methods may only be sent as they are.
 */
export function withAuthentication<T extends { authentication_methods?: Record<string, boolean> | undefined }>(
  params: T,
) {
  const { authentication_methods: methods, ...otherParams } = params;
  if (!methods) return otherParams;
  const enabledMethods: Record<string, boolean> = { ...providerMethods() };
  for (const [method, enabled] of Object.entries(methods)) {
    if (method === "Email" || enabled === (enabledMethods[method] ?? false)) continue;
    throw badRequest(
      method in enabledMethods
        ? `Only the server's operator can switch ${method} on and off.`
        : `Authentication by ${method} is not supported by this server.`,
    );
  }
  return { ...otherParams, ...(methods.Email !== undefined && { password_auth_enabled: methods.Email }) };
}

/** The plain settings of a request in their stored form; a limit is a positive number, or "unlimited". */
export function plainSettingsIn(params: RequestParams): Partial<RealmSettings> {
  const values = Object.keys(plainSettings).flatMap((name) => {
    const value = params[name];
    if (value === undefined) return [];
    if (name === "jitsi_server_url") return [[name, toJitsiServerUrl(value as string | null)]];
    return [[name, isLimit(name) ? toStoredLimit(name, value as number | string | null) : value]];
  });
  return Object.fromEntries(values);
}

export const permissionsIn = (params: RequestParams): Partial<Record<PermissionName, GroupSettingUpdate>> =>
  Object.fromEntries(Object.keys(permissionSettings).flatMap((name) => (params[name] ? [[name, params[name]]] : [])));

/** Clients send "default" to reset the organization's server. */
function toJitsiServerUrl(value: string | null): string | null {
  if (value === null || value === "default") return null;
  if (!/^https?:\/\//i.test(value) || !URL.canParse(value)) throw badRequest("jitsi_server_url is not a URL");
  return value;
}

const rangesOfLimits: Record<string, { min: number; max: number }> = {
  session_age_limit_seconds: sessionLimitRange,
  session_idle_limit_seconds: sessionLimitRange,
  second_factor_required_from: requiredFromRange,
};

function toStoredLimit(name: string, value: number | string | null): number | null {
  if (value === "unlimited" || value === null) return name === "message_retention_days" ? -1 : null;
  const { min, max } = rangesOfLimits[name] ?? { min: 1, max: Number.POSITIVE_INFINITY };
  if (typeof value === "string" || value < min || value > max) throw invalidParameterValue(name, value);
  return value;
}

/** Checks the requested changes, and returns only settings and permissions whose value changes. */
export async function checkRealmChanges(
  caller: Caller,
  realm: Realm,
  plain: Partial<RealmSettings>,
  permissions: Partial<Record<PermissionName, GroupSettingUpdate>>,
): Promise<Partial<RealmSettings>> {
  if (plain.default_language !== undefined) checkLanguage(plain.default_language);
  await checkChannels(plain);
  checkSignInRemains(realm, plain);
  const changed = Object.entries(plain).filter(
    ([name, value]) => value !== undefined && value !== realm.settings[name as keyof RealmSettings],
  );
  const current = realm.settings as Record<PermissionName, RealmSettings[PermissionName]>;
  const changedPermissions = await checkGroupSettingUpdates(
    caller,
    permissions,
    current,
    realmPermissionRules,
    realm.usersVersion,
  );
  return { ...Object.fromEntries(changed), ...changedPermissions } as Partial<RealmSettings>;
}

/** Refuses to switch passwords off where there is no other way to sign in. */
function checkSignInRemains({ settings }: Realm, { password_auth_enabled: enabled }: Partial<RealmSettings>): void {
  if (enabled === false && settings.password_auth_enabled && identityProviders().length === 0)
    throw badRequest(
      "Passwords cannot be switched off while the server has no identity provider: nobody could sign in any more.",
    );
}

async function checkChannels(plain: Partial<RealmSettings>): Promise<void> {
  const ids = channelSettingNames.map((name) => plain[name] ?? -1).filter((id) => id !== -1);
  const channels = await findChannels(ids);
  if (channels.some((channel) => !channel || channel.isArchived)) throw badRequest("Invalid channel ID");
}
