import { placeholderDomain } from "../limits.ts";
import { roles } from "../schema/roles.ts";
import { type EmailVisibility, emailVisibilities } from "../schema/user-settings.ts";
import type { User } from "../store/users/users.ts";
import type { Caller } from "./caller.ts";

type Addressed = Pick<User, "id" | "email" | "botType" | "emailVisibility">;
export type Viewer = Pick<Caller, "id" | "role">;

/** The lowest role that sees an address of that visibility; undefined: nobody but its owner. */
export const rolesSeeing = (visibility: EmailVisibility) =>
  ({ 1: roles.guest, 2: roles.member, 3: roles.administrator, 4: undefined, 5: roles.moderator })[visibility];

const visibilityOf = ({ botType, emailVisibility }: Addressed): EmailVisibility =>
  botType === undefined ? (emailVisibility ?? emailVisibilities.everyone) : emailVisibilities.everyone;

/** Whether `viewer` may see the real address; without a viewer, whether everyone may. */
export function maySeeEmail(viewer: Viewer | undefined, user: Addressed): boolean {
  if (viewer?.id === user.id) return true;
  const lowest = rolesSeeing(visibilityOf(user));
  return lowest !== undefined && (viewer?.role ?? roles.guest) <= lowest;
}

/** An address that stands for a user's. */
export const placeholderEmail = (id: number): string => `user${id}@${placeholderDomain}`;

/** The address by which the API names a user: the real one if everyone may see it, else one that stands for them. */
export const shownEmail = (user: Addressed): string =>
  visibilityOf(user) === emailVisibilities.everyone ? user.email : placeholderEmail(user.id);

/** The ID in an address of `shownEmail` that stands for a user. */
export function idInPlaceholder(address: string): number | undefined {
  const [local = "", domain] = address.toLowerCase().split("@");
  const [, digits] = /^user(\d{1,15})$/.exec(local) ?? [];
  return domain === placeholderDomain && digits ? Number(digits) : undefined;
}
