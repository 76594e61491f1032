import { acceptedKeyHashes } from "../../services/identity/sessions.ts";
import { deletePushDevice, listPushDevices, type PushDevice } from "../../store/delivery/push-devices.ts";
import { listPushTokens } from "../../store/delivery/push-tokens.ts";
import { succeeds } from "../../store/table/conflicts.ts";
import { transact } from "../../store/table/transactions.ts";
import { findAccount } from "../../store/users/accounts.ts";
import type { User } from "../../store/users/users.ts";
import { removeBrowsers } from "../web-push/subscriptions.ts";
import { removePushTokenIfThere } from "./tokens.ts";

/** Ends push notifications to all of a user's phones and browsers. Idempotent. 1.5 read units, and what each removal costs. */
export async function removeDevices(userId: number): Promise<void> {
  await removePhones(userId, () => true);
  await removeBrowsers(userId);
}

/**
 * Ends push notifications to the phones that were registered with a key that is no longer valid; browsers are checked before they
 * are notified. Idempotent. 2 read units, and what each removal costs.
 */
export async function removeSignedOutPhones({ id, email }: Pick<User, "id" | "email">): Promise<void> {
  const account = await findAccount(email);
  const accepted = account?.userId === id ? acceptedKeyHashes(account) : [];
  await removePhones(id, ({ keyHash }) => keyHash !== undefined && !accepted.includes(keyHash));
}

async function removePhones(userId: number, isRemoved: (phone: Pick<PushDevice, "keyHash">) => boolean) {
  const [devices, tokens] = await Promise.all([listPushDevices(userId), listPushTokens(userId)]);
  // A device that has changed meanwhile was removed, or registered again by somebody who has signed in again.
  for (const device of devices.filter(isRemoved)) await succeeds(transact([deletePushDevice(device)]));
  for (const token of tokens.filter(isRemoved)) await removePushTokenIfThere(token);
}
