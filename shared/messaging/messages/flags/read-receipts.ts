import { badRequest } from "../../../base/errors.ts";
import { effectiveUserSettings } from "../../../base/schema/user-settings.ts";
import type { Caller } from "../../../services/identity/caller.ts";
import { findCachedProfiles } from "../../../services/identity/profiles.ts";
import type { Realm } from "../../../services/organization/access.ts";
import { findSubscriptionsTo, listSubscriberIds } from "../../../store/channels/subscriptions.ts";
import type { Message } from "../../../store/messages/messages.ts";
import { findMarkedAsRead } from "../../../store/messages/read-state.ts";
import { listMutedUsers, listMuterIds } from "../../../store/users/muted-users.ts";
import { findSettingsOfUsers } from "../../../store/users/user-settings.ts";
import { wasSubscribed } from "../reader.ts";

export function checkReadReceiptsEnabled({ settings }: Realm): void {
  if (!settings.enable_read_receipts) throw badRequest("Read receipts are disabled in this organization.");
}

/**
 * IDs of the users who have read a message, without its sender, users who disabled read receipts, and users whom the
 * caller muted or who muted the caller. Costs 0.5 read units per participant, and per reader 1 more in a channel, 0.5 to
 * 1.5 more in direct messages. There is no index of readers by message: messages are marked as read far more often than
 * anyone requests receipts.
 */
export async function listUsersWhoRead(caller: Caller, message: Message, realm: Realm): Promise<number[]> {
  const { channelId, userIds = [] } = message;
  const [people, muted, muters] = await Promise.all([
    channelId === undefined ? userIds : listSubscriberIds(channelId),
    listMutedUsers(caller.id),
    listMuterIds(caller.id),
  ]);
  const hidden = new Set([message.senderId, ...muted.map(({ mutedId }) => mutedId), ...muters]);
  const shown = people.filter((id) => !hidden.has(id));
  const markedIds = [...(await findMarkedAsRead([message.id], shown))];
  const [settings, receiverIds] = await Promise.all([
    findSettingsOfUsers(markedIds),
    receiversAmong(markedIds, message, realm),
  ]);
  return markedIds
    .filter((id, index) => receiverIds.has(id) && effectiveUserSettings(settings[index]).send_read_receipts)
    .sort((a, b) => a - b);
}

/** The active users who received a message. Deactivated users lose their subscriptions but not their conversations. */
async function receiversAmong(ids: readonly number[], { id, channelId }: Message, realm: Realm): Promise<Set<number>> {
  if (channelId === undefined) {
    const profiles = await findCachedProfiles(ids, realm.usersVersion);
    return new Set(ids.filter((userId) => profiles.get(userId)?.active));
  }
  const subscriptions = await findSubscriptionsTo(channelId, ids);
  return new Set(ids.filter((_, index) => subscriptions[index]?.active && wasSubscribed(subscriptions[index], id)));
}
