import { isSameName, named } from "../base/lib/find.ts";
import type { SearchNames } from "../navigation/address.ts";
import { currentState } from "../session/store.ts";
import type { User } from "../state/model.ts";

/** What channels and people are called in searches. */
/** The people whom a search may mean: the one with an address, or else all with a name; of several, those who are not deactivated. */
export function usersCalled(nameOrAddress: string): User[] {
  const { users, userId } = currentState();
  const all = [...users.values()];
  const lowerCase = nameOrAddress.trim().toLowerCase();
  if (lowerCase === "") return [];
  const addressed = all.find(
    ({ email, delivery_email }) => email.toLowerCase() === lowerCase || delivery_email?.toLowerCase() === lowerCase,
  );
  if (addressed) return [addressed];
  const called = all.filter(({ full_name }) => isSameName(full_name, nameOrAddress));
  const active = called.filter(({ is_active }) => is_active);
  const self = users.get(userId);
  if (called.length === 0 && self && lowerCase === "me") return [self];
  return active.length > 0 ? active : called;
}

export const names: SearchNames = {
  channelIdOf: (name) => named(currentState().channels.values(), name, (channel) => channel.name)?.stream_id,
  channelNameOf: (id) => currentState().channels.get(id)?.name,
  userIdOf: (nameOrAddress) => {
    const [user, another] = usersCalled(nameOrAddress);
    return another ? undefined : user?.user_id;
  },
  emailOf: (userId) => currentState().users.get(userId)?.email,
};
