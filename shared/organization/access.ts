import { ApiError } from "../errors.ts";
import { findOrganization, type Organization } from "../store/organization.ts";
import { effectiveSettings, type RealmSettings } from "./settings.ts";

/** The organization with all of its settings, defaults filled in. */
export interface Realm extends Omit<Organization, "settings"> {
  settings: RealmSettings;
}

const notThere = () => new ApiError("NONEXISTENT_SUBDOMAIN", "Invalid subdomain", { status: 404 });

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

/** The organization as stored, read strongly, to be changed. */
export async function accessOrganization(): Promise<Organization> {
  const organization = await findOrganization({ consistent: true });
  if (!organization) throw notThere();
  return organization;
}
