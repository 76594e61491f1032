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
 * or who have muted the caller. 0.5 to 2 read units for each who received it.
 */
export async function readersOf(caller: Caller, message: Message, realm: Realm): Promise<number[]> {
  const [receivers, muted, muters] = await Promise.all([
    receiversOf(message),
    listMutedUsers(caller.id),
    listMuterIds(caller.id),
  ]);
  const hidden = new Set([message.senderId, ...muted.map(({ mutedId }) => mutedId), ...muters]);
  const readers = await findMarkedAsRead(
    message.id,
    receivers.filter((id) => !hidden.has(id)),
  );
  const [settings, profiles] = await Promise.all([
    findSettingsOfUsers(readers),
    profilesOf(readers, realm.usersVersion),
  ]);
  return readers
    .filter((id, place) => {
      const tells = effectiveUserSettings(settings[place]).send_read_receipts;
      return tells && profiles.get(id)?.active === true;
    })
    .sort((a, b) => a - b);
}

async function receiversOf({ id, channelId, userIds = [] }: Message): Promise<number[]> {
  if (channelId === undefined) return userIds;
  const present = await listSubscriberIds(channelId);
  const subscriptions = await findSubscriptionsTo(channelId, present);
  return present.filter((_, place) => wasSubscribed(subscriptions[place], id));
}
