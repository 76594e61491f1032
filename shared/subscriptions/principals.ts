import { badRequest } from "../errors.ts";
import type { Caller } from "../identity/caller.ts";
import { findNamedUsers } from "../identity/named.ts";
import type { User } from "../store/users/users.ts";

/** The users that a request subscribes or unsubscribes: those it names, or the caller if it names none. */
export const accessPrincipals = (caller: Caller, principals: readonly (number | string)[] = []): Promise<User[]> =>
  accessActiveUsers(caller, principals.length > 0 ? principals : [caller.id]);

/** The active users named by ID or address, without duplicates. Costs 1 read unit each. */
export async function accessActiveUsers(caller: Caller, names: readonly (number | string)[]): Promise<User[]> {
  const users = [...new Set((await findNamedUsers(caller, names)).map(requireUser))];
  if (users.some(({ active }) => !active)) throw badRequest("User is deactivated");
  return users;
}

function requireUser(user: User | undefined): User {
  if (!user) throw badRequest("No such user");
  return user;
}
