import { badRequest } from "../errors.ts";
import { findAccount } from "../store/accounts.ts";
import { findUsers, type User } from "../store/users.ts";
import type { Caller } from "../users/caller.ts";

/** The active users that a request names by ID or address, each once; without any, the caller. 1 read unit each. */
export async function accessPrincipals(
  caller: Caller,
  principals: readonly (number | string)[] | undefined,
): Promise<User[]> {
  const named = principals ?? [caller.id];
  const ids = await Promise.all(
    named.map(async (principal) =>
      typeof principal === "number" ? principal : (await findAccount(principal.trim()))?.userId,
    ),
  );
  const known = [...new Set(ids.map((id) => found(id)))];
  const users = (await findUsers(known)).map((user) => found(user));
  if (users.some(({ active }) => !active)) throw badRequest("User is deactivated");
  return users;
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw badRequest("No such user");
  return value;
}
