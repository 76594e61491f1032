/** Roles as the wire numbers them: a smaller number may do more. */
export const roles = { owner: 100, administrator: 200, moderator: 300, member: 400, guest: 600 } as const;

export type RoleName = keyof typeof roles;
export type Role = (typeof roles)[RoleName];

export const roleNumbers = Object.values(roles);
export const ownerRole = roles.owner;

/** The kinds of bots as the wire numbers them: 1 generic, 2 incoming webhook, 3 outgoing webhook, 4 embedded. */
export type BotType = 1 | 2 | 3 | 4;
