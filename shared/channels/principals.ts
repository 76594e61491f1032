import { badRequest } from "../errors.ts";
import type { User } from "../store/users.ts";
import type { Caller } from "../users/caller.ts";
import { usersNamed } from "../users/named.ts";

/** The active users that a request names by ID or address, each once; without any, the caller. 1 read unit each. */
export async function accessPrincipals(
  caller: Caller,
  principals: readonly (number | string)[] | undefined,
): Promise<User[]> {
  const users = [...new Set((await usersNamed(caller, principals ?? [caller.id])).map(found))];
  if (users.some(({ active }) => !active)) throw badRequest("User is deactivated");
  return users;
}

function found(user: User | undefined): User {
  if (!user) throw badRequest("No such user");
  return user;
}
