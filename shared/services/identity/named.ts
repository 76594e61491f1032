import { findAccount } from "../../store/users/accounts.ts";
import { findUsers, type User } from "../../store/users/users.ts";
import { loadRealm } from "../organization/access.ts";
import { accessibleAmong } from "./accessible.ts";
import { isGuest } from "./caller.ts";
import { idInPlaceholderEmail, maySeeEmail, type Viewer } from "./visibility.ts";

/**
 * The users whom a request names by ID or address, in the same order; undefined for those who do not exist, whose address
 * `viewer` may not see, or whom `viewer` may not access. Every user whom a request names is found by this function, so that no
 * reply reveals which of these it is. Strongly consistent: 1 read unit each, and 1 for each real address. For guests with
 * limited access, also what `isAccessible` costs.
 */
export async function findNamedUsers(
  viewer: Viewer | undefined,
  idsOrAddresses: readonly (number | string)[],
): Promise<(User | undefined)[]> {
  const ids = await Promise.all(
    idsOrAddresses.map((value) => (typeof value === "number" ? value : findUserIdByAddress(value.trim()))),
  );
  const knownIds = [...new Set(ids.filter((id) => id !== undefined))];
  const found = (await findUsers(knownIds)).filter((user) => user !== undefined);
  const accessible = viewer && isGuest(viewer) ? await accessibleAmong(viewer, found, await loadRealm()) : found;
  const users = new Map(accessible.map((user) => [user.id, user]));
  return idsOrAddresses.map((value, index) => {
    const user = users.get(ids[index] ?? 0);
    return user && (typeof value === "number" || mayNameUser(viewer, user, value.trim())) ? user : undefined;
  });
}

/** The user ID of an e-mail address: a placeholder address as the API shows it, or a real one. */
const findUserIdByAddress = async (address: string): Promise<number | undefined> =>
  idInPlaceholderEmail(address) ?? (address.includes("@") ? (await findAccount(address))?.userId : undefined);

/** Whether `viewer` may refer to a user by this address: otherwise guessing addresses would reveal hidden ones. */
const mayNameUser = (viewer: Viewer | undefined, user: User, address: string): boolean =>
  idInPlaceholderEmail(address) !== undefined || maySeeEmail(viewer, user);
