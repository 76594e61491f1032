import { badRequest, unauthorizedPrincipal } from "../errors.ts";
import { accessRealm } from "../organization/access.ts";
import { findUser, findUsers, type User } from "../store/users.ts";
import { isAccessible } from "./accessible.ts";
import { type Caller, isAdministrator, isGuest, isOwner } from "./caller.ts";
import { idOfAddress, mayBeNamed } from "./named.ts";
import { ownerRole } from "./roles.ts";

const noSuchUser = () => badRequest("No such user");

interface Accepted {
  /** Deactivated users too. */
  deactivated?: boolean;
  bots?: boolean;
}

/** The user of an ID, as the last acknowledged write left them; "No such user" or "User is deactivated". 1 read unit. */
export async function accessUser(id: number, { deactivated = false, bots = false }: Accepted = {}): Promise<User> {
  const [user] = await findUsers([id]);
  if (!user || (user.botType !== undefined && !bots)) throw noSuchUser();
  if (!deactivated) checkActive(user);
  return user;
}

export function checkActive({ active }: Pick<User, "active">): void {
  if (!active) throw badRequest("User is deactivated");
}

/** A user whom the caller, an administrator, may change: owners are for owners, and system bots for nobody. */
export async function accessUserToManage(caller: Caller, id: number, accepted: Accepted = {}): Promise<User> {
  const user = await accessUser(id, accepted);
  if (!isAdministrator(caller) || user.isSystemBot) throw badRequest("Insufficient permission");
  return user;
}

export function checkMayManageOwner(caller: Caller, user: Pick<User, "role">): void {
  if (user.role === ownerRole && !isOwner(caller)) throw unauthorizedPrincipal("owner");
}

/** The user that a path names by ID, or by an address that the caller may know; bots and deactivated users too. */
export async function accessUserNamed(caller: Caller, named: string): Promise<User> {
  const id = /^\d{1,15}$/.test(named) ? Number(named) : await idOfAddress(named);
  const user = id === undefined ? undefined : await findUser(id);
  if (!user || (named.includes("@") && !mayBeNamed(caller, user, named))) throw noSuchUser();
  await checkAccessible(caller, user);
  return user;
}

/** Refuses a user whom the caller may not know, as one who is not there; reads nothing for anybody but guests. */
export async function checkAccessible(caller: Caller, user: Pick<User, "id" | "botType">): Promise<void> {
  if (isGuest(caller) && !(await isAccessible(caller, user, await accessRealm()))) throw noSuchUser();
}
