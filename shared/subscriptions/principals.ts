import { badRequest } from "../errors.ts";
import type { Caller } from "../identity/caller.ts";
import { findNamedUsers } from "../identity/named.ts";
import type { User } from "../store/users/users.ts";

/** The active users named by ID or address, without duplicates; the caller by default. Costs 1 read unit each. */
export async function accessPrincipals(
  caller: Caller,
  principals: readonly (number | string)[] | undefined,
): Promise<User[]> {
  const users = [...new Set((await findNamedUsers(caller, principals ?? [caller.id])).map(requireUser))];
  if (users.some(({ active }) => !active)) throw badRequest("User is deactivated");
  return users;
}

function requireUser(user: User | undefined): User {
  if (!user) throw badRequest("No such user");
  return user;
}
