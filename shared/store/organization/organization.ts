import type { RealmSettings } from "../../base/schema/organization-settings.ts";
import { corrected } from "../table/consistency.ts";
import { getItem } from "../table/reads.ts";
import { type Condition, create, remove, type Update, update, type Write } from "../table/writes.ts";

/** The organization; a deployment has exactly one. */
export interface Organization {
  /** Identifies the organization to the push bouncer; never changes. */
  uuid: string;
  name: string;
  stringId: string;
  /** UNIX seconds. */
  createdAt: number;
  /** Only the settings that differ from the defaults (`shared/base/schema/organization-settings.ts`). */
  settings: Partial<RealmSettings>;
  /** For optimistic concurrency: each change to the settings increments it. */
  settingsVersion?: number;
  /** The user settings of new users that differ from Skein's defaults. */
  userDefaults?: Record<string, unknown>;
  /** Incremented by each change to any user's profile, role, activity or address: cached profiles are valid while it is unchanged. */
  usersVersion: number;
  /** Incremented by each change after which a key is no longer valid: with `usersVersion`, says whether a cached account is. */
  keysVersion?: number;
  notificationBotId: number;
  iconFile?: string;
  /** The names of the uploaded logos for light and dark themes. */
  logoFile?: string;
  nightLogoFile?: string;
  /** Whether any user has ever registered for push notifications. */
  pushUsed?: boolean;
  /** Whether any user has ever subscribed a browser to notifications. */
  browsersUsed?: boolean;
  /** Incremented by each change to the linkifiers; absent before the first. */
  linkifiersVersion?: number;
  /** The deployed build, and `generation`, the time of its deployment in UNIX seconds. */
  build?: string;
  generation?: number;
  /** UNIX seconds; absent while the organization is active. */
  deactivatedAt?: number;
  /** The active owners. A condition on this set prevents concurrent changes from removing the last one. */
  ownerIds?: Set<number>;
}

const key = { pk: "ORGANIZATION", sk: "ORGANIZATION" };

/**
 * Undefined until the organization has been created. 0.5 read units. The log does not record the creation, so a miss is
 * checked with a strongly consistent read.
 */
export const findOrganization = async (): Promise<Organization | undefined> =>
  (await getItem<Organization>(key, corrected)) ?? (await getItem<Organization>(key));

/** Must be the last write of an organization's creation, because the organization exists from then on. */
export const createOrganizationItem = (organization: Organization): Write => create({ ...key, ...organization });

/** What a change of the organization changes, whichever it is. */
const changing = [
  ...(["name", "settingsVersion", "usersVersion", "keysVersion", "linkifiersVersion"] as const),
  ...(["iconFile", "logoFile", "nightLogoFile", "pushUsed", "browsersUsed", "generation", "deactivatedAt"] as const),
];

/**
 * Closes an organization, for the time of an import that replaces it; fails when it was changed since it was read, because it may
 * be opened again as it was read.
 */
export const closeOrganization = (organization: Organization): Write =>
  remove(key, { exists: true, equals: Object.fromEntries(changing.map((name) => [name, organization[name]])) });

export const updateOrganization = (change: Update, when: Condition = {}): Write =>
  update(key, change, { exists: true, ...when });

interface OwnersChange {
  /** The user who becomes an active owner. */
  gained?: number | undefined;
  /** The user who stops being one; the write fails unless `remaining` is still an owner. */
  lost?: number | undefined;
  remaining?: number | undefined;
}

/** Must be part of every transaction that changes a user's profile or role: it invalidates cached profiles and accounts. */
export const bumpUsersVersion = ({ gained, lost, remaining }: OwnersChange = {}): Write =>
  updateOrganization(
    {
      add: { usersVersion: 1, ...(gained !== undefined && { ownerIds: new Set([gained]) }) },
      ...(lost !== undefined && { subtract: { ownerIds: new Set([lost]) } }),
    },
    remaining === undefined ? {} : { contains: { ownerIds: remaining } },
  );

/** Must be part of every transaction that makes an API key or a session invalid, because it invalidates cached accounts. */
export const bumpKeysVersion = (): Write => updateOrganization({ add: { keysVersion: 1 } });
