import { findAccount } from "../store/users/accounts.ts";
import { findUsers, type User } from "../store/users/users.ts";
import { idInPlaceholderEmail, maySeeEmail, type Viewer } from "./visibility.ts";

/**
 * The user ID of an e-mail address: a placeholder address as the API shows it, or a real one. The caller must check with
 * `mayNameUser` whether the viewer may use that address.
 */
export const findUserIdByAddress = async (address: string): Promise<number | undefined> =>
  idInPlaceholderEmail(address) ?? (address.includes("@") ? (await findAccount(address))?.userId : undefined);

/** Whether `viewer` may refer to a user by this address: otherwise guessing addresses would reveal hidden ones. */
export const mayNameUser = (viewer: Viewer | undefined, user: User, address: string): boolean =>
  idInPlaceholderEmail(address) !== undefined || maySeeEmail(viewer, user);

/**
 * The users with these IDs or addresses, in the same order; undefined for unknown users and for addresses that `viewer` may not
 * see. Strongly consistent: 1 read unit each, and 1 for each real address.
 */
export async function findNamedUsers(
  viewer: Viewer | undefined,
  idsOrAddresses: readonly (number | string)[],
): Promise<(User | undefined)[]> {
  const ids = await Promise.all(
    idsOrAddresses.map((value) => (typeof value === "number" ? value : findUserIdByAddress(value.trim()))),
  );
  const knownIds = [...new Set(ids.filter((id) => id !== undefined))];
  const users = new Map((await findUsers(knownIds)).flatMap((user) => (user ? [[user.id, user]] : [])));
  return idsOrAddresses.map((value, index) => {
    const user = users.get(ids[index] ?? 0);
    return user && (typeof value === "number" || mayNameUser(viewer, user, value.trim())) ? user : undefined;
  });
}
