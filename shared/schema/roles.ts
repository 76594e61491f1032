/** Zulip's numbers for roles. A lower number has more permissions. */
export const roles = { owner: 100, administrator: 200, moderator: 300, member: 400, guest: 600 } as const;

export type RoleName = keyof typeof roles;
export type Role = (typeof roles)[RoleName];

export const roleNumbers = Object.values(roles);
export const ownerRole = roles.owner;

/** Zulip's numbers for types of bots: 1 generic, 2 incoming webhook, 3 outgoing webhook, 4 embedded. */
export type BotType = 1 | 2 | 3 | 4;
