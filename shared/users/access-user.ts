import { badRequest, insufficientPermission, unauthorizedPrincipal } from "../errors.ts";
import { type Caller, isAdministrator, isGuest, isOwner } from "../identity/caller.ts";
import { findUserIdByAddress, mayNameUser } from "../identity/named.ts";
import { accessRealm } from "../organization/access.ts";
import { ownerRole, type Role } from "../schema/roles.ts";
import { findUser, findUsers, type User } from "../store/users/users.ts";
import { isAccessible } from "./accessible.ts";

const noSuchUser = () => badRequest("No such user");

interface AccessOptions {
  /** Whether deactivated users are accepted. */
  deactivated?: boolean;
  /** Whether bots are accepted. */
  bots?: boolean;
}

/** Returns a user, strongly consistent; throws "No such user" or "User is deactivated". Costs 1 read unit. */
export async function accessUser(id: number, { deactivated = false, bots = false }: AccessOptions = {}): Promise<User> {
  const [user] = await findUsers([id]);
  if (!user || (user.botType !== undefined && !bots)) throw noSuchUser();
  if (!deactivated) checkActive(user);
  return user;
}

export function checkActive({ active }: Pick<User, "active">): void {
  if (!active) throw badRequest("User is deactivated");
}

/** Returns a user whom the caller, an administrator, may change; system bots cannot be changed. */
export async function accessUserToManage(caller: Caller, id: number, accepted: AccessOptions = {}): Promise<User> {
  const user = await accessUser(id, accepted);
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

/** Returns a user by ID, or by an address that the caller may see; includes bots and deactivated users. */
export async function accessUserByIdOrEmail(caller: Caller, idOrEmail: string): Promise<User> {
  const id = /^\d{1,15}$/.test(idOrEmail) ? Number(idOrEmail) : await findUserIdByAddress(idOrEmail);
  const user = id === undefined ? undefined : await findUser(id);
  if (!user || (idOrEmail.includes("@") && !mayNameUser(caller, user, idOrEmail))) throw noSuchUser();
  await checkAccessible(caller, user);
  return user;
}

/** Returns a user whom the caller may access; includes bots and deactivated users. */
export async function accessKnownUser(caller: Caller, id: number): Promise<User> {
  const user = await findUser(id);
  if (!user) throw noSuchUser();
  await checkAccessible(caller, user);
  return user;
}

/** Refuses inaccessible users with the same error as absent ones. Reads only for guests. */
export async function checkAccessible(caller: Caller, user: Pick<User, "id" | "botType">): Promise<void> {
  if (isGuest(caller) && !(await isAccessible(caller, user, await accessRealm()))) throw noSuchUser();
}
