import { ApiError, realmDeactivated, unauthorized } from "../errors.ts";
import { effectiveSettings, type RealmSettings } from "../schema/organization-settings.ts";
import { findOrganization, type Organization } from "../store/organization/organization.ts";

/** The organization with all of its settings, defaults filled in. */
export interface Realm extends Omit<Organization, "settings"> {
  settings: RealmSettings;
}

const notThere = () => new ApiError("NONEXISTENT_SUBDOMAIN", "Invalid subdomain");

export const realmOf = (organization: Organization): Realm => ({
  ...organization,
  settings: effectiveSettings(organization.settings),
});

/** The organization; an error while it has not been created. 0.5 read units for each 4 KB of changed settings. */
export async function accessRealm(): Promise<Realm> {
  const organization = await findOrganization();
  if (!organization) throw notThere();
  return realmOf(organization);
}

/** The organization, for those who come without an account; refused while it is deactivated. */
export async function accessActiveRealm(): Promise<Realm> {
  const realm = await accessRealm();
  checkRealmActive(realm);
  return realm;
}

/** Accounts are refused by themselves: this is for those who have none. */
export function checkRealmActive({ deactivatedAt }: Pick<Realm, "deactivatedAt">): void {
  if (deactivatedAt !== undefined) throw realmDeactivated();
}

/** Asks those who come without an account to log in, where only people with one may read. */
export function checkSpectator(realm: Pick<Realm, "settings" | "deactivatedAt">): void {
  checkRealmActive(realm);
  if (!realm.settings.enable_spectator_access) throw unauthorized();
}

/** The organization as stored, read strongly, to be changed. */
export async function accessOrganization(): Promise<Organization> {
  const organization = await findOrganization({ consistent: true });
  if (!organization) throw notThere();
  return organization;
}
