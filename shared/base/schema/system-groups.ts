import { roles } from "./roles.ts";

/**
 * The system groups, by ID. Each one from "owners" on is a direct subgroup of the next; "nobody" has no members. Users with a
 * group's `role` or a higher one are its members, so that membership needs no read.
 */
export const systemGroups = [
  { id: 1, name: "role:nobody", displayName: "Nobody", description: "Nobody" },
  { id: 2, name: "role:owners", displayName: "Owners", description: "Owners of this organization", role: roles.owner },
  {
    id: 3,
    name: "role:administrators",
    displayName: "Administrators",
    description: "Administrators of this organization, including owners",
    role: roles.administrator,
  },
  {
    id: 4,
    name: "role:moderators",
    displayName: "Moderators",
    description: "Moderators of this organization, including administrators",
    role: roles.moderator,
  },
  {
    id: 5,
    name: "role:fullmembers",
    displayName: "Full members",
    description: "Members of this organization, not including new accounts and guests",
    role: roles.member,
  },
  {
    id: 6,
    name: "role:members",
    displayName: "Members",
    description: "Members of this organization, not including guests",
    role: roles.member,
  },
  {
    id: 7,
    name: "role:everyone",
    displayName: "Everyone",
    description: "Everyone in this organization, including guests",
    role: roles.guest,
  },
  {
    id: 8,
    name: "role:internet",
    displayName: "Everyone on the internet",
    description: "Everyone on the Internet",
    role: roles.guest,
  },
] as const;

export const nobody = 1;
export const owners = 2;
export const administrators = 3;
export const moderators = 4;
export const fullMembers = 5;
export const members = 6;
export const everyone = 7;
export const internet = 8;

export const isSystemGroup = (id: number) => id >= nobody && id <= internet;

/** The IDs of a system group's direct subgroups. */
export const systemSubgroups = (id: number) => (id > owners && id <= internet ? [id - 1] : []);
