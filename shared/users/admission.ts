import { subscribe } from "../channels/subscribe.ts";
import { findAccount } from "../store/accounts.ts";
import { listChannels } from "../store/channels.ts";
import { ConditionFailed } from "../store/transactions.ts";
import { addUser } from "./actions.ts";
import { emailInUse } from "./changes.ts";
import { roles } from "./roles.ts";

/** Refuses an address that has an account; of two who come at once, the transaction decides. 1 read unit. */
export async function checkAddressFree(email: string): Promise<void> {
  if (await findAccount(email)) throw emailInUse();
}

/** Adds a member, subscribes them to the default channels and returns their ID. */
export async function admitUser(person: { email: string; fullName: string; password: string }): Promise<number> {
  const { user } = await addUser({ ...person, role: roles.member }).catch((error: unknown) => {
    throw error instanceof ConditionFailed && error.failed.includes(0) ? emailInUse() : error;
  });
  const channels = await listChannels();
  for (const channel of channels) if (channel.isDefault && !channel.isArchived) await subscribe(channel, [user.id]);
  return user.id;
}
