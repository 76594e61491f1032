import { deletePushDevice, listPushDevices } from "../../store/delivery/push-devices.ts";
import { listPushTokens } from "../../store/delivery/push-tokens.ts";
import { succeeds } from "../../store/table/conflicts.ts";
import { transact } from "../../store/table/transactions.ts";
import { removeBrowsers } from "../web-push/subscriptions.ts";
import { removePushTokenIfThere } from "./tokens.ts";

/** Ends push notifications to all of a user's phones and browsers. Idempotent. 1.5 read units, and what each removal costs. */
export async function removeDevices(userId: number): Promise<void> {
  const [devices, tokens] = await Promise.all([listPushDevices(userId), listPushTokens(userId)]);
  // A device that has changed meanwhile was removed, or registered again by somebody who has signed in again.
  for (const device of devices) await succeeds(transact([deletePushDevice(device)]));
  for (const token of tokens) await removePushTokenIfThere(token);
  await removeBrowsers(userId);
}
