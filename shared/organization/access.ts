import { ApiError } from "../errors.ts";
import { findOrganization, type Organization } from "../store/organization.ts";
import { effectiveSettings, type RealmSettings } from "./settings.ts";

/** The organization with all of its settings, defaults filled in. */
export interface Realm extends Omit<Organization, "settings"> {
  settings: RealmSettings;
}

/** The organization; an error while it has not been created. 0.5 read units for each 4 KB of changed settings. */
export async function accessRealm(): Promise<Realm> {
  const organization = await findOrganization();
  if (!organization) throw new ApiError("NONEXISTENT_SUBDOMAIN", "Invalid subdomain", { status: 404 });
  return { ...organization, settings: effectiveSettings(organization.settings) };
}
