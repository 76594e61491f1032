import { badRequest } from "../../base/errors.ts";
import type { Need } from "../../base/needs.ts";
import type { Caller } from "../../services/identity/caller.ts";
import { findNamedUsers } from "../../services/identity/named.ts";
import { findUsers, type User } from "../../store/users/users.ts";

/** The users that a request subscribes or unsubscribes: those it names, or the caller if it names none. */
export const accessPrincipals = (caller: Caller, principals: readonly (number | string)[] = []): Promise<User[]> =>
  accessActiveUsers(caller, principals.length > 0 ? principals : [caller.id]);

/**
 * The active users named by ID or address, without duplicates. Costs 1 read unit each. The names are read in parts, each as large as
 * all before it, so that names of nobody cost at most twice what those of people do.
 */
async function accessActiveUsers(caller: Caller, names: readonly (number | string)[]): Promise<User[]> {
  const unique = [...new Set(names)];
  const users = new Set<User>();
  for (let start = 0; start < unique.length; ) {
    const end = Math.max(firstPart, 2 * start);
    for (const user of await findNamedUsers(caller, unique.slice(start, end))) users.add(requireUser(user));
    start = end;
  }
  if ([...users].some(({ active }) => !active)) throw badRequest("User is deactivated");
  return [...users];
}

const firstPart = 500;

/** More are not read early, because the request may still be refused. */
const maxReadEarly = 100;

/** The first subscribers of a new channel. */
export const firstSubscribers: Need<User[], { caller: Caller; params: { subscribers: number[] } }> = {
  early: (sent) => {
    const ids = sent("subscribers") ?? [];
    return ids.length <= maxReadEarly ? findUsers(ids) : undefined;
  },
  load: ({ caller, params }) => accessActiveUsers(caller, params.subscribers),
};

function requireUser(user: User | undefined): User {
  if (!user) throw badRequest("No such user");
  return user;
}
