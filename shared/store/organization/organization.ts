import type { RealmSettings } from "../../schema/organization-settings.ts";
import { getItem } from "../table/table.ts";
import { type Condition, create, type Update, update, type Write } from "../table/writes.ts";

/** The organization of this fleet. */
export interface Organization {
  /** Names the organization to the push bouncer; never changes. */
  uuid: string;
  name: string;
  stringId: string;
  /** UNIX seconds. */
  createdAt: number;
  /** Only what differs from the defaults; see `shared/schema/organization-settings.ts`. */
  settings: Partial<RealmSettings>;
  /** Grows with each change of them, which is made only to those that were read. */
  settingsVersion?: number;
  /** What new people start with where it is not what Skein's do: names and values of user settings. */
  userDefaults?: Record<string, unknown>;
  /** Grows with each change of any user's profile: what was read of profiles under one number holds while it stands. */
  usersVersion: number;
  notificationBotId: number;
  /** The name of the picture that was uploaded for it. */
  iconFile?: string;
  /** The names of its logos on light and on dark ground. */
  logoFile?: string;
  nightLogoFile?: string;
  /** Whether there has ever been a device for push notifications. */
  pushUsed?: boolean;
  /** Grows with each change of the linkifiers; absent while there were none. */
  linkifiersVersion?: number;
  /** Which build serves it, and since when, in UNIX seconds. */
  build?: string;
  generation?: number;
  /** UNIX seconds; absent while people are let in. */
  deactivatedAt?: number;
  /** The active owners: of two who take each other's ownership away at once, one is refused. */
  ownerIds?: Set<number>;
}

const key = { pk: "ORGANIZATION", sk: "ORGANIZATION" };

/**
 * Undefined until the organization has been created. 0.5 read units, or 1 when consistent. No entry of the log tells of
 * its creation, so that its absence is looked at twice.
 */
export const findOrganization = async ({ consistent = false } = {}): Promise<Organization | undefined> =>
  (await getItem<Organization>(key, { consistent })) ??
  (consistent ? undefined : await getItem<Organization>(key, { consistent: true }));

/** The last write of an organization's creation: from then on it exists. */
export const createOrganizationItem = (organization: Organization): Write => create({ ...key, ...organization });

export const updateOrganization = (change: Update, when: Condition = {}): Write =>
  update(key, change, { exists: true, ...when });

interface OwnersChange {
  /** Who becomes an active owner. */
  gained?: number | undefined;
  /** Who ceases to be one; `remaining` must then still be another. */
  lost?: number | undefined;
  remaining?: number | undefined;
}

/** Belongs into each transaction that changes a user's profile. */
export const touchProfiles = ({ gained, lost, remaining }: OwnersChange = {}): Write =>
  updateOrganization(
    {
      add: { usersVersion: 1, ...(gained !== undefined && { ownerIds: new Set([gained]) }) },
      ...(lost !== undefined && { subtract: { ownerIds: new Set([lost]) } }),
    },
    remaining === undefined ? {} : { contains: { ownerIds: remaining } },
  );
