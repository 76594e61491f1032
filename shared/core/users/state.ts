import {
  effectiveUserSettings,
  emojiSets,
  notificationSounds,
  type UserSettings,
} from "../../base/schema/user-settings.ts";
import { findAccessibleIds } from "../../services/identity/accessible.ts";
import { type Caller, isAdministrator, isBot, isGuest, isModerator, isOwner } from "../../services/identity/caller.ts";
import type { Realm } from "../../services/organization/access.ts";
import { loadPermissions } from "../../services/permissions/access.ts";
import { findUserSettings } from "../../store/users/user-settings.ts";
import { listUserStatuses } from "../../store/users/user-status.ts";
import type { User } from "../../store/users/users.ts";
import { listProfileFields } from "../profile-fields/state.ts";
import { toProfileDataWire } from "../profile-fields/wire.ts";
import { initialUserSettings } from "../settings/rules.ts";
import { pictureUrl } from "./avatars.ts";
import { placeholderUser } from "./placeholder-user.ts";
import { type StatusObject, toStatusWire } from "./status.ts";
import { toUserWire, type UserObject } from "./wire.ts";

/** The parts of the initial state about users; see https://zulip.com/api/register-queue. */

/** A user object in a list of only active or only deactivated users. */
type ListedUser = Omit<UserObject, "is_active">;

/** The fields of type `realm_user`: all `users`, and the caller's own fields. Costs two reads. */
export async function realmUserState(
  caller: Caller,
  realm: Realm,
  users: readonly User[],
  { clientGravatar, capabilities }: { clientGravatar: boolean; capabilities: readonly string[] },
) {
  const [permissions, fields, accessibleIds] = await Promise.all([
    loadOwnPermissions(caller, realm),
    listProfileFields(),
    findAccessibleIds(caller, realm),
  ]);
  const isKnown = (user: User) => isBot(user) || (accessibleIds?.has(user.id) ?? true);
  const ownUser = users.find(({ id }) => id === caller.id) as User;
  const toListedUsers = (selection: readonly User[]) =>
    selection.map((user) => {
      const { is_active: _, ...rest } = toUserWire(user, clientGravatar, caller);
      return { ...rest, ...toProfileDataWire(user, fields) } satisfies ListedUser;
    });
  const isOrdinary = ({ isSystemBot }: User) => !isSystemBot;
  const knownUsers = users.filter((user) => isOrdinary(user) && isKnown(user));
  // Clients without the capability get a placeholder for each inaccessible user.
  const placeholders = capabilities.includes("user_list_incomplete")
    ? []
    : users
        .filter((user) => !isKnown(user))
        .map(({ id }) => {
          const { is_active: _, ...rest } = placeholderUser(id);
          return rest;
        });
  const { email, full_name, delivery_email } = toUserWire(ownUser, false, caller);
  return {
    realm_users: [...toListedUsers(knownUsers.filter(({ active }) => active)), ...placeholders],
    realm_non_active_users: toListedUsers(knownUsers.filter(({ active }) => !active)),
    cross_realm_bots: toListedUsers(users.filter((user) => !isOrdinary(user))).map((bot) => ({
      ...bot,
      is_system_bot: true,
    })),
    user_id: caller.id,
    email,
    delivery_email,
    full_name,
    avatar_url: pictureUrl(ownUser),
    avatar_url_medium: pictureUrl(ownUser, "medium"),
    avatar_source: ownUser.avatarSource,
    is_admin: isAdministrator(caller),
    is_owner: isOwner(caller),
    is_moderator: caller.role <= 300 && isModerator(caller) && !isAdministrator(caller),
    is_guest: isGuest(caller),
    ...permissions,
  };
}

const ownPermissionNames = [
  "can_create_public_channel_group",
  "can_create_private_channel_group",
  "can_create_web_public_channel_group",
  "can_add_subscribers_group",
  "can_invite_users_group",
] as const;

async function loadOwnPermissions(caller: Caller, { settings }: Realm) {
  const values = ownPermissionNames.map((name) => settings[name]);
  const isGranted = await loadPermissions(caller, values, settings);
  // Guests have none of these permissions, whichever groups they are in.
  const may = (name: (typeof ownPermissionNames)[number]) => !isGuest(caller) && isGranted(settings[name]);
  const [mayCreatePublic, mayCreatePrivate] = [
    may("can_create_public_channel_group"),
    may("can_create_private_channel_group"),
  ];
  return {
    can_create_streams: mayCreatePublic || mayCreatePrivate,
    can_create_public_streams: mayCreatePublic,
    can_create_private_streams: mayCreatePrivate,
    can_create_web_public_streams: settings.enable_spectator_access && may("can_create_web_public_channel_group"),
    can_subscribe_other_users: may("can_add_subscribers_group"),
    can_invite_others_to_realm: may("can_invite_users_group"),
  };
}

const choices = { available_notification_sounds: [...notificationSounds], emojiset_choices: [...emojiSets] };

/** A user's settings with defaults; costs 0.5 read units. */
export const findEffectiveSettings = async (userId: number): Promise<UserSettings> =>
  effectiveUserSettings(await findUserSettings(userId));

/** `user_settings`; costs 0.5 read units. */
export const userSettingsState = async (caller: Pick<Caller, "id">) => ({
  ...(await findEffectiveSettings(caller.id)),
  ...choices,
});

/** `realm_user_settings_defaults`: the settings of new users. */
export function userSettingsDefaults(realm: Realm) {
  const { timezone: _, ...defaults } = effectiveUserSettings(initialUserSettings(realm));
  return { ...defaults, ...choices };
}

/** `user_status`: the statuses of accessible users, by user ID. */
export async function userStatusState(caller: Caller, realm: Realm): Promise<Record<string, StatusObject>> {
  const [allStatuses, accessibleIds] = await Promise.all([listUserStatuses(), findAccessibleIds(caller, realm)]);
  const statuses = allStatuses
    .filter(({ userId }) => accessibleIds?.has(userId) ?? true)
    .map((status) => [status.userId, toStatusWire(status)] as const);
  return Object.fromEntries(statuses.filter(([, status]) => Object.keys(status).length > 0));
}
