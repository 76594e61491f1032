import { removeBrowsers } from "../../messaging/web-push/subscriptions.ts";
import { findChannels } from "../../store/channels/channels.ts";
import { listSubscriptions } from "../../store/channels/subscriptions.ts";
import { withConsistentReads } from "../../store/table/consistency.ts";
import { transact } from "../../store/table/transactions.ts";
import { findUsers, updateUser } from "../../store/users/users.ts";
import { revokeInvitationsBy } from "../invites/actions.ts";
import { subscribe, suspend } from "../subscriptions/subscribe.ts";

/**
 * Ends a deactivated user's subscriptions and the notifications to their browsers, and revokes their invitations; for a
 * reactivated user, resumes the subscriptions that the deactivation ended. Idempotent; each channel is a separate change with its
 * own event.
 */
export async function syncSubscriptions(userId: number): Promise<void> {
  const [user] = await findUsers([userId]);
  if (!user) return;
  const suspendedIds = user.suspendedChannelIds ?? new Set<number>();
  if (!user.active) {
    await revokeInvitationsBy(userId);
    await removeBrowsers(userId);
    const activeSubscriptions = (await withConsistentReads(() => listSubscriptions(userId))).filter(
      ({ active }) => active,
    );
    for (const channel of await findExistingChannels(activeSubscriptions.map(({ channelId }) => channelId)))
      await suspend(channel, [userId]);
    return;
  }
  if (suspendedIds.size === 0) return;
  for (const channel of await findExistingChannels([...suspendedIds]))
    if (!channel.isArchived) await subscribe(channel, [userId]);
  await transact([updateUser(userId, { remove: ["suspendedChannelIds"] }, { active: true })]);
}

const findExistingChannels = async (ids: readonly number[]) =>
  (await findChannels(ids)).filter((channel) => channel !== undefined);
