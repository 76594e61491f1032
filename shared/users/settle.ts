import { subscribe, unsubscribe } from "../channels/subscribe.ts";
import { findChannels } from "../store/channels.ts";
import { consistently } from "../store/consistency.ts";
import { listSubscriptions } from "../store/subscriptions.ts";
import { transact } from "../store/transactions.ts";
import { findUsers, updateUser } from "../store/users.ts";

/**
 * Ends the subscriptions of someone who is deactivated, and takes up again, once they are active, those that were ended
 * so. May be done any number of times; each channel is a change with its own event.
 */
export async function settleSubscriptions(userId: number): Promise<void> {
  const [user] = await findUsers([userId]);
  if (!user) return;
  const suspended = user.suspendedChannelIds ?? new Set<number>();
  if (!user.active) {
    const current = (await consistently(() => listSubscriptions(userId))).filter(({ active }) => active);
    for (const channel of await channelsOf(current.map(({ channelId }) => channelId)))
      await unsubscribe(channel, [userId]);
    return;
  }
  if (suspended.size === 0) return;
  for (const channel of await channelsOf([...suspended])) if (!channel.isArchived) await subscribe(channel, [userId]);
  await transact([updateUser(userId, { remove: ["suspendedChannelIds"] }, { active: true })]);
}

const channelsOf = async (ids: readonly number[]) =>
  (await findChannels(ids)).filter((channel) => channel !== undefined);
