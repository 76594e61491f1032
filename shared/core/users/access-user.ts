import { badRequest, insufficientPermission, unauthorizedPrincipal } from "../../base/errors.ts";
import { ownerRole, type Role } from "../../base/schema/roles.ts";
import { type Caller, isAdministrator, isOwner } from "../../services/identity/caller.ts";
import { findNamedUsers } from "../../services/identity/named.ts";
import { findUsers, type User } from "../../store/users/users.ts";

const noSuchUser = () => badRequest("No such user");

interface AccessOptions {
  deactivated?: boolean;
  bots?: boolean;
}

/**
 * Returns a user whom the server itself names, such as the caller, strongly consistent; throws "No such user" or "User is
 * deactivated". For users whom a request names, call `accessNamedUser`. Costs 1 read unit.
 */
export async function accessUser(id: number, options: AccessOptions = {}): Promise<User> {
  return checkAccepted((await findUsers([id]))[0], options);
}

/** Returns a user whom the request names by ID or address; throws "No such user" also for users whom the caller may not access. */
export async function accessNamedUser(
  caller: Caller,
  idOrAddress: number | string,
  options: AccessOptions = {},
): Promise<User> {
  return checkAccepted((await findNamedUsers(caller, [idOrAddress]))[0], options);
}

/** An ID or address as a path contains it. */
export const idOrAddressIn = (text: string): number | string => (/^\d{1,15}$/.test(text) ? Number(text) : text);

function checkAccepted(user: User | undefined, { deactivated = false, bots = false }: AccessOptions): User {
  if (!user || (user.botType !== undefined && !bots)) throw noSuchUser();
  if (!deactivated) checkActive(user);
  return user;
}

export function checkActive({ active }: Pick<User, "active">): void {
  if (!active) throw badRequest("User is deactivated");
}

/** Nothing may say again who the person was. */
export function checkNotErased({ erased }: Pick<User, "erased">): void {
  if (erased) throw badRequest("This account was erased.");
}

/** Returns a user whom the caller, an administrator, may change; system bots cannot be changed. */
export async function accessUserToManage(
  caller: Caller,
  idOrAddress: number | string,
  accepted: AccessOptions = {},
): Promise<User> {
  const user = await accessNamedUser(caller, idOrAddress, accepted);
  if (!isAdministrator(caller) || user.isSystemBot) throw insufficientPermission();
  return user;
}

/** Refuses an owner unless the caller is one: an administrator could lock the owner out or impersonate them. */
export function checkMayManageIfOwner(caller: Caller, user: Pick<User, "role">): void {
  if (user.role === ownerRole && !isOwner(caller)) throw unauthorizedPrincipal("owner");
}

/** Only owners may make somebody an owner. */
export function checkMayGiveRole(caller: Caller, role: Role): void {
  if (role === ownerRole && !isOwner(caller)) throw unauthorizedPrincipal("owner");
}
