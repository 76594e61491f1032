import type { Group } from "../store/groups.ts";
import { everyone, nobody } from "./system.ts";
import { onlyMember } from "./values.ts";

/** Who may do what with a new group (companion reference, B 4.5); a group of an organization file has no creator. */
export const startingGroupSettings = (creatorId: number | null): Group["settings"] => {
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
