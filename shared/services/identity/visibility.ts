import { placeholderDomain } from "../../base/limits.ts";
import { roles } from "../../base/schema/roles.ts";
import { type EmailVisibility, emailVisibilities } from "../../base/schema/user-settings.ts";
import type { User } from "../../store/users/users.ts";
import type { Caller } from "./caller.ts";

type UserAddress = Pick<User, "id" | "email" | "botType" | "emailVisibility">;
export type Viewer = Pick<Caller, "id" | "role">;

/** The lowest role that may see an address with this visibility; undefined: only its owner may. */
export const lowestRoleSeeing = (visibility: EmailVisibility) =>
  ({ 1: roles.guest, 2: roles.member, 3: roles.administrator, 4: undefined, 5: roles.moderator })[visibility];

const visibilityOf = ({ botType, emailVisibility }: UserAddress): EmailVisibility =>
  botType === undefined ? (emailVisibility ?? emailVisibilities.everyone) : emailVisibilities.everyone;

/** Whether `viewer` may see the user's real address; without a viewer: whether everyone may. */
export function maySeeEmail(viewer: Viewer | undefined, user: UserAddress): boolean {
  if (viewer?.id === user.id) return true;
  const lowestRole = lowestRoleSeeing(visibilityOf(user));
  return lowestRole !== undefined && (viewer?.role ?? roles.guest) <= lowestRole;
}

/** The address shown in place of a hidden one. */
export const placeholderEmail = (id: number): string => `user${id}@${placeholderDomain}`;

/** The address that the API shows to everyone: the real one if it is public, otherwise a placeholder. */
export const visibleEmail = (user: UserAddress): string =>
  visibilityOf(user) === emailVisibilities.everyone ? user.email : placeholderEmail(user.id);

/** The user ID in a placeholder address; undefined for other addresses. */
export function idInPlaceholderEmail(address: string): number | undefined {
  const [local = "", domain] = address.toLowerCase().split("@");
  const [, digits] = /^user(\d{1,15})$/.exec(local) ?? [];
  return domain === placeholderDomain && digits ? Number(digits) : undefined;
}
