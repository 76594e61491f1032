import { ApiError, realmDeactivated, unauthorized } from "../../base/errors.ts";
import type { Need } from "../../base/needs.ts";
import { effectiveSettings, type RealmSettings } from "../../base/schema/organization-settings.ts";
import { isImporting } from "../../store/organization/import.ts";
import { findOrganization, type Organization } from "../../store/organization/organization.ts";
import { withConsistentReads } from "../../store/table/consistency.ts";

/** The organization with all of its settings, defaults filled in. */
export interface Realm extends Omit<Organization, "settings"> {
  settings: RealmSettings;
}

/** Says whether the organization is only not there yet; 1 read unit. */
const organizationMissing = async () =>
  new ApiError(
    "NONEXISTENT_SUBDOMAIN",
    (await isImporting())
      ? "The organization is being imported. Try again when that is finished."
      : "Invalid subdomain",
  );

export const realmOf = (organization: Organization): Realm => ({
  ...organization,
  settings: effectiveSettings(organization.settings),
});

/** The organization; an error while it has not been created. 0.5 read units for each 4 KB of changed settings. */
export async function loadRealm(): Promise<Realm> {
  const organization = await findOrganization();
  if (!organization) throw await organizationMissing();
  return realmOf(organization);
}

/** The organization, read in parallel with the caller's account. */
export const realm: Need<Realm> = { early: loadRealm, load: loadRealm };

/** Returns the organization for requests without an account. Throws while it is deactivated. */
export async function loadActiveRealm(): Promise<Realm> {
  const realm = await loadRealm();
  checkRealmActive(realm);
  return realm;
}

/** Refuses requests without an account while the organization is deactivated; other requests fail because their account is. */
export function checkRealmActive({ deactivatedAt }: Pick<Realm, "deactivatedAt">): void {
  if (deactivatedAt !== undefined) throw realmDeactivated();
}

/** Refuses requests without an account unless the organization has enabled spectator access. */
export function checkSpectator(realm: Pick<Realm, "settings" | "deactivatedAt">): void {
  checkRealmActive(realm);
  if (!realm.settings.enable_spectator_access) throw unauthorized();
}

/** Returns the stored organization by a strongly consistent read, in order to change it. */
export async function accessOrganization(): Promise<Organization> {
  const organization = await withConsistentReads(findOrganization);
  if (!organization) throw await organizationMissing();
  return organization;
}

/** The stored organization, in order to change it. */
export const organizationToChange: Need<Organization> = { load: accessOrganization };
