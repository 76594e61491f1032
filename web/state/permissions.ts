import { t } from "../base/languages/language.ts";
import { type Channel, type GroupSetting, roles, type State, type UserGroup } from "./model.ts";
import { groupSettingOf } from "./records.ts";

/** The user's permissions, only to decide what to offer: the server enforces them. */

export const roleNames = (): Readonly<Record<number, string>> => ({
  [roles.owner]: t("Owner"),
  [roles.administrator]: t("Administrator"),
  [roles.moderator]: t("Moderator"),
  [roles.member]: t("Member"),
  [roles.guest]: t("Guest"),
});

const roleOf = ({ users, userId }: State) => users.get(userId)?.role ?? roles.guest;
export const isAdministrator = (state: State) => roleOf(state) <= roles.administrator;
export const isOwner = (state: State) => roleOf(state) <= roles.owner;

/** Whether the user sees nobody else in the organization. */
export const isAlone = ({ users, userId }: State) =>
  ![...users.values()].some((user) => user.is_active && !user.is_bot && user.user_id !== userId);

/** Whether a permission setting includes the user, directly or through nested groups. */
export function isIn(state: State, setting: GroupSetting | undefined): boolean {
  if (setting === undefined) return false;
  const [userIds, groupIds] =
    typeof setting === "number" ? [[], [setting]] : [setting.direct_members, [...setting.direct_subgroups]];
  if (userIds.includes(state.userId)) return true;
  const seen = new Set<number>();
  for (let id = groupIds.pop(); id !== undefined; id = groupIds.pop()) {
    if (seen.has(id)) continue;
    seen.add(id);
    const group: UserGroup | undefined = state.groups.get(id);
    if (group?.members.includes(state.userId)) return true;
    groupIds.push(...(group?.direct_subgroup_ids ?? []));
  }
  return false;
}

const isGuest = (state: State) => roleOf(state) >= roles.guest;
export const mayInviteByMail = (state: State) =>
  !isGuest(state) && isIn(state, groupSettingOf(state.realm.realm_can_invite_users_group));
export const mayInviteByLink = (state: State) =>
  !isGuest(state) && isIn(state, groupSettingOf(state.realm.realm_create_multiuse_invite_group));
export const mayConnectAssistants = (state: State) =>
  isIn(state, groupSettingOf(state.realm.realm_can_connect_agents_group));
/** Whether the user could subscribe to a channel again after leaving it. */
export const mayRejoin = (state: State, { invite_only, permissions }: Channel) =>
  !(invite_only || isGuest(state)) || isIn(state, permissions.can_subscribe_group);
