import { type BotType, ownerRole, type Role } from "../schema/roles.ts";

/** The authenticated account behind a request, as its account item states it: one read, nothing cached. */
export interface Caller {
  id: number;
  /** The real (delivery) address, as in the account. */
  email: string;
  role: Role;
  /** Undefined for people. */
  botType?: BotType | undefined;
  /** UNIX seconds; full members are those who joined long enough ago. */
  joinedAt: number;
  /** User groups of which the caller is a direct member, system groups aside. */
  groupIds: ReadonlySet<number>;
}

export const isBot = (caller: Pick<Caller, "botType">) => caller.botType !== undefined;
export const isAdministrator = (caller: Pick<Caller, "role">) => caller.role <= 200;
export const isOwner = (caller: Pick<Caller, "role">) => caller.role === ownerRole;
export const isModerator = (caller: Pick<Caller, "role">) => caller.role <= 300;
export const isGuest = (caller: Pick<Caller, "role">) => caller.role >= 600;
