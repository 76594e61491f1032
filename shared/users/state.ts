import { permissionsAmong } from "../groups/access.ts";
import type { Realm } from "../organization/access.ts";
import { listFields } from "../profile-fields/state.ts";
import { wireProfileData } from "../profile-fields/wire.ts";
import { findUserSettings } from "../store/user-settings.ts";
import { listUserStatuses } from "../store/user-status.ts";
import type { User } from "../store/users.ts";
import { accessibleUsers, unknownUser } from "./accessible.ts";
import { pictureUrl } from "./avatars.ts";
import { type Caller, isAdministrator, isBot, isGuest, isModerator, isOwner } from "./caller.ts";
import { effectiveUserSettings, emojiSets, notificationSounds, type UserSettings } from "./settings.ts";
import { type StatusObject, wireStatus } from "./status.ts";
import { type UserObject, wireUser } from "./wire.ts";

/** What a client that registers is told of people (companion reference, C). */

/** A user object of a list that says by itself whether they are active. */
export type ListedUser = Omit<UserObject, "is_active">;

/** The fields of type `realm_user`: everyone of `users`, and the caller's own. Two reads beside theirs. */
export async function realmUserState(
  caller: Caller,
  realm: Realm,
  users: readonly User[],
  { clientGravatar, capabilities }: { clientGravatar: boolean; capabilities: readonly string[] },
) {
  const [holds, fields, accessible] = await Promise.all([
    ownPermissions(caller, realm),
    listFields(),
    accessibleUsers(caller, realm),
  ]);
  const isKnown = (user: User) => isBot(user) || (accessible?.has(user.id) ?? true);
  const own = users.find(({ id }) => id === caller.id) as User;
  const listed = (chosen: readonly User[]) =>
    chosen.map((user) => {
      const { is_active: _, ...rest } = wireUser(user, clientGravatar, caller);
      return { ...rest, ...wireProfileData(user, fields) } satisfies ListedUser;
    });
  const isOrdinary = ({ isSystemBot }: User) => !isSystemBot;
  const others = users.filter((user) => isOrdinary(user) && isKnown(user));
  // Clients that do not bear with gaps get a placeholder for each.
  const unknown = capabilities.includes("user_list_incomplete")
    ? []
    : users
        .filter((user) => !isKnown(user))
        .map(({ id }) => {
          const { is_active: _, ...rest } = unknownUser(id);
          return { ...rest, profile_data: {} } satisfies ListedUser;
        });
  const { email, full_name, delivery_email } = wireUser(own, false, caller);
  return {
    realm_users: [...listed(others.filter(({ active }) => active)), ...unknown],
    realm_non_active_users: listed(others.filter(({ active }) => !active)),
    cross_realm_bots: listed(users.filter((user) => !isOrdinary(user))).map((bot) => ({ ...bot, is_system_bot: true })),
    user_id: caller.id,
    email,
    delivery_email,
    full_name,
    avatar_url: pictureUrl(own),
    avatar_url_medium: pictureUrl(own, "medium"),
    avatar_source: own.avatarSource,
    is_admin: isAdministrator(caller),
    is_owner: isOwner(caller),
    is_moderator: caller.role <= 300 && isModerator(caller) && !isAdministrator(caller),
    is_guest: isGuest(caller),
    ...holds,
  };
}

/** What the caller may do in the organization, by the names of register's fields. */
async function ownPermissions(caller: Caller, { settings }: Realm) {
  const {
    can_create_public_channel_group,
    can_create_private_channel_group,
    can_create_web_public_channel_group,
    can_add_subscribers_group,
    can_invite_users_group,
  } = settings;
  const asked = [
    can_create_public_channel_group,
    can_create_private_channel_group,
    can_create_web_public_channel_group,
    can_add_subscribers_group,
    can_invite_users_group,
  ];
  const holds = await permissionsAmong(caller, asked, settings);
  // Guests hold none of these, whatever group they are in.
  const may = (value: (typeof asked)[number]) => !isGuest(caller) && holds(value);
  const [open, closed] = [may(can_create_public_channel_group), may(can_create_private_channel_group)];
  return {
    can_create_streams: open || closed,
    can_create_public_streams: open,
    can_create_private_streams: closed,
    can_create_web_public_streams: settings.enable_spectator_access && may(can_create_web_public_channel_group),
    can_subscribe_other_users: may(can_add_subscribers_group),
    can_invite_others_to_realm: may(can_invite_users_group),
  };
}

const choices = { available_notification_sounds: notificationSounds, emojiset_choices: emojiSets };

/** The caller's settings, defaults filled in; 0.5 read units. */
export const settingsOf = async (userId: number): Promise<UserSettings> =>
  effectiveUserSettings(await findUserSettings(userId));

/** `user_settings`; 0.5 read units. */
export const userSettingsState = async (caller: Pick<Caller, "id">) => ({
  ...(await settingsOf(caller.id)),
  ...choices,
});

/** `realm_user_settings_defaults`: what new users start with. */
export function userSettingsDefaults() {
  const { timezone: _, ...defaults } = effectiveUserSettings();
  return { ...defaults, ...choices };
}

/** `user_status`: of everyone who has set one and whom the caller may know, by user ID. */
export async function userStatusState(caller: Caller, realm: Realm): Promise<Record<string, StatusObject>> {
  const [all, accessible] = await Promise.all([listUserStatuses(), accessibleUsers(caller, realm)]);
  const statuses = all
    .filter(({ userId }) => accessible?.has(userId) ?? true)
    .map((status) => [status.userId, wireStatus(status)] as const);
  return Object.fromEntries(statuses.filter(([, status]) => Object.keys(status).length > 0));
}
