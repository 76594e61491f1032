import type { Realm } from "../organization/access.ts";
import type { Message } from "../store/messages.ts";
import { listMutedUsers, listMuterIds } from "../store/muted-users.ts";
import { findMarkedAsRead } from "../store/read-state.ts";
import { findSubscriptionsTo, listSubscriberIds } from "../store/subscriptions.ts";
import { findSettingsOfUsers } from "../store/user-settings.ts";
import type { Caller } from "../users/caller.ts";
import { profilesOf } from "../users/profiles.ts";
import { effectiveUserSettings } from "../users/settings.ts";
import { wasSubscribed } from "./reader.ts";

/**
 * IDs of those who have read a message: without its sender, those who do not tell, and those whom the caller has muted
 * or who have muted the caller. 0.5 read units for each who is in the conversation, and for each who has read it 1 more
 * in a channel; in direct messages 0.5 to 1.5 more. Nothing lists who has marked a message: that would be written with
 * each marking, of which there are many more than looks at receipts.
 */
export async function readersOf(caller: Caller, message: Message, realm: Realm): Promise<number[]> {
  const { channelId, userIds = [] } = message;
  const [people, muted, muters] = await Promise.all([
    channelId === undefined ? userIds : listSubscriberIds(channelId),
    listMutedUsers(caller.id),
    listMuterIds(caller.id),
  ]);
  const hidden = new Set([message.senderId, ...muted.map(({ mutedId }) => mutedId), ...muters]);
  const marked = await findMarkedAsRead(
    message.id,
    people.filter((id) => !hidden.has(id)),
  );
  const [settings, received] = await Promise.all([findSettingsOfUsers(marked), receiversAmong(marked, message, realm)]);
  return marked
    .filter((id, place) => received.has(id) && effectiveUserSettings(settings[place]).send_read_receipts)
    .sort((a, b) => a - b);
}

/** Those of some people who received a message and are active: deactivation ends subscriptions, not conversations. */
async function receiversAmong(ids: readonly number[], { id, channelId }: Message, realm: Realm): Promise<Set<number>> {
  if (channelId === undefined) {
    const profiles = await profilesOf(ids, realm.usersVersion);
    return new Set(ids.filter((one) => profiles.get(one)?.active));
  }
  const subscriptions = await findSubscriptionsTo(channelId, ids, { consistent: false });
  return new Set(ids.filter((_, place) => subscriptions[place]?.active && wasSubscribed(subscriptions[place], id)));
}
