/** Zulip's numbers for roles. A lower number has more permissions. */
export const roles = { owner: 100, administrator: 200, moderator: 300, member: 400, guest: 600 } as const;

export type RoleName = keyof typeof roles;
export type Role = (typeof roles)[RoleName];

export const roleNumbers = Object.values(roles);
export const ownerRole = roles.owner;

/** Zulip's numbers for types of bots. */
export const botTypes = { generic: 1, incomingWebhook: 2, outgoingWebhook: 3, embedded: 4 } as const;

export type BotType = (typeof botTypes)[keyof typeof botTypes];
