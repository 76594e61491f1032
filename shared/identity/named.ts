import { findAccount } from "../store/users/accounts.ts";
import { findUsers, type User } from "../store/users/users.ts";
import { idInPlaceholder, maySeeEmail, type Viewer } from "./visibility.ts";

/**
 * The ID that an address may stand for: of the one by which the API shows a user, or of a real one. Whether the address
 * is for the caller to use is `mayBeNamed`, which needs the user.
 */
export const idOfAddress = async (address: string): Promise<number | undefined> =>
  idInPlaceholder(address) ?? (address.includes("@") ? (await findAccount(address))?.userId : undefined);

/** Whether `viewer` may name a user so: a real address must not tell whose it is to someone who may not see it. */
export const mayBeNamed = (viewer: Viewer | undefined, user: User, address: string): boolean =>
  idInPlaceholder(address) !== undefined || maySeeEmail(viewer, user);

/**
 * The users whom IDs and addresses name to `viewer`, in their order; undefined where there is none, or where an address is
 * not for the viewer to know. Strongly consistent: 1 read unit each, and 1 for each real address.
 */
export async function usersNamed(
  viewer: Viewer | undefined,
  named: readonly (number | string)[],
): Promise<(User | undefined)[]> {
  const ids = await Promise.all(named.map((one) => (typeof one === "number" ? one : idOfAddress(one.trim()))));
  const known = [...new Set(ids.filter((id) => id !== undefined))];
  const users = new Map((await findUsers(known)).flatMap((user) => (user ? [[user.id, user]] : [])));
  return named.map((one, index) => {
    const user = users.get(ids[index] ?? 0);
    return user && (typeof one === "number" || mayBeNamed(viewer, user, one.trim())) ? user : undefined;
  });
}
