import type { RealmSettings } from "../organization/settings.ts";
import { getItem } from "./table.ts";
import { create, type Update, update, type Write } from "./writes.ts";

/** The organization of this fleet. */
export interface Organization {
  name: string;
  stringId: string;
  /** UNIX seconds. */
  createdAt: number;
  /** Only what differs from the defaults; see `shared/organization/settings.ts`. */
  settings: Partial<RealmSettings>;
  /** Grows with each change of any user's profile: what was read of profiles under one number holds while it stands. */
  usersVersion: number;
  notificationBotId: number;
  /** Grows with each change of the linkifiers; absent while there were none. */
  linkifiersVersion?: number;
}

const key = { pk: "ORGANIZATION", sk: "ORGANIZATION" };

/** Undefined until the organization has been created. 0.5 read units. */
export const findOrganization = () => getItem<Organization>(key);

/** The last write of an organization's creation: from then on it exists. */
export const createOrganizationItem = (organization: Organization): Write => create({ ...key, ...organization });

export const updateOrganization = (change: Update): Write => update(key, change, { exists: true });

/** Belongs into each transaction that changes a user's profile. */
export const touchProfiles = (): Write => updateOrganization({ add: { usersVersion: 1 } });
