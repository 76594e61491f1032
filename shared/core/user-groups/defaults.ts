import { onlyMember } from "../../base/schema/group-setting.ts";
import { everyone, nobody } from "../../base/schema/system-groups.ts";
import type { Group } from "../../store/organization/groups.ts";

/**
 * The permissions of a new group; groups from an organization file have no creator. See
 * https://zulip.com/api/create-user-group.
 */
export const defaultGroupSettings = (creatorId: number | null): Group["settings"] => {
  const creator = creatorId === null ? nobody : onlyMember(creatorId);
  return {
    canAddMembersGroup: creator,
    canManageGroup: creator,
    canJoinGroup: nobody,
    canRemoveMembersGroup: nobody,
    canLeaveGroup: everyone,
    canMentionGroup: everyone,
  };
};

/** All permission settings of system groups are role:nobody. */
export const systemGroupSettings: Group["settings"] = {
  canAddMembersGroup: nobody,
  canManageGroup: nobody,
  canJoinGroup: nobody,
  canRemoveMembersGroup: nobody,
  canLeaveGroup: nobody,
  canMentionGroup: nobody,
};
