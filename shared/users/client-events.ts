import { isPresenceLimited } from "../environment.ts";
import { findAccessibleIds, isAccessible, mayAccessAll } from "../identity/accessible.ts";
import { type Caller, isBot } from "../identity/caller.ts";
import { placeholderEmail } from "../identity/visibility.ts";
import type { Realm } from "../organization/access.ts";
import { listProfileFields } from "../profile-fields/state.ts";
import { toProfileDataWire } from "../profile-fields/wire.ts";
import type { LogEvent, LogEventOf } from "../schema/event-types.ts";
import { listSubscriberIds } from "../store/channels/subscriptions.ts";
import { findUser, findUsers, type User } from "../store/users/users.ts";
import type { RealmUserEvent, UserStatusEvent } from "./event-types.ts";
import { placeholderUser, unknownName } from "./placeholder-user.ts";
import { toUserWire } from "./wire.ts";

/** Events about users, filtered for users who cannot access everyone. */

interface EventReader {
  caller: Caller;
  realm: Realm;
  /** Whether the client has the `user_list_incomplete` capability; others get placeholders of inaccessible users. */
  acceptsPartialUserList: boolean;
}

type Membership = Extract<LogEventOf<"subscription">, { op: "join" | "leave" }>;

type PersonEvent = RealmUserEvent | UserStatusEvent | LogEventOf<"presence">;

const personEventTypes = new Set(["realm_user", "user_status", "presence"]);
const isAboutPerson = (event: PersonEvent | { type: string }): event is PersonEvent => personEventTypes.has(event.type);

/** The client's version of an event about a user; none about inaccessible users. */
export async function toClientPersonEvents<E extends { type: string }>(
  event: E | PersonEvent,
  { caller, realm, acceptsPartialUserList }: EventReader,
): Promise<(E | PersonEvent)[]> {
  if (!isAboutPerson(event)) return [event];
  // The logged object has what everybody sees. Readers who see an address that others do not get their own.
  const hidesAddress = event.type === "realm_user" && event.op === "add" && event.person.delivery_email === null;
  if (mayAccessAll(caller, realm) && !hidesAddress) return [event];
  const id = event.type === "realm_user" ? event.person.user_id : event.user_id;
  const user = await findUser(id);
  if (user && (await isAccessible(caller, user, realm)))
    return [hidesAddress ? { ...event, person: { ...event.person, ...addressFields(user, caller) } } : event];
  // Unlimited presence is visible to everyone, but the address is not.
  if (event.type === "presence" && !isPresenceLimited()) return [{ ...event, email: placeholderEmail(id) }];
  return event.type === "realm_user" && event.op === "add" && !acceptsPartialUserList
    ? [{ ...event, person: placeholderUser(id) }]
    : [];
}

/** Whether an event may change which users are accessible: users joining or leaving a channel, or a new conversation. */
export const changesVisibleUsers = (
  event: LogEvent,
): event is Membership | (LogEventOf<"message"> & { begins: number[] }) =>
  (event.type === "subscription" && event.op !== "update") || (event.type === "message" && event.begins !== undefined);

/** Below 128, the maximum number of a client's events that one log entry can become. */
const maxUsersPerEvent = 100;

/** The events for users who become accessible or inaccessible by an event. */
export async function userVisibilityEvents(event: LogEvent, { caller, realm }: EventReader): Promise<RealmUserEvent[]> {
  if (!changesVisibleUsers(event) || mayAccessAll(caller, realm)) return [];
  const conversation = event.type === "message" ? event.begins : undefined;
  const channelId = event.type === "subscription" ? event.stream_id : undefined;
  const accessibleIds = await findAccessibleIds(caller, realm, { channelId, conversation });
  const candidateIds = event.type === "message" ? event.begins : await affectedUsers(event, caller);
  const ids = [...new Set(candidateIds)].filter((id) => !accessibleIds?.has(id)).slice(0, maxUsersPerEvent);
  const people = (await findUsers(ids)).filter((user) => user !== undefined).filter((user) => !isBot(user));
  const fields = people.length > 0 ? await listProfileFields() : [];
  const disappear = event.type === "subscription" && event.op === "leave";
  return people.map((user) =>
    disappear
      ? { type: "realm_user", op: "remove", person: { user_id: user.id, full_name: unknownName } }
      : {
          type: "realm_user",
          op: "add",
          person: { ...toUserWire(user, false, caller), ...toProfileDataWire(user, fields) },
        },
  );
}

const addressFields = (user: User, caller: Caller) => {
  const { email, delivery_email } = toUserWire(user, false, caller);
  return { email, delivery_email };
};

/** All subscribers if the caller joined or left; otherwise the users who did, if the caller is subscribed. */
async function affectedUsers({ stream_id, user_ids: userIds }: Membership, { id }: Caller): Promise<number[]> {
  const subscribers = await listSubscriberIds(stream_id);
  if (userIds.includes(id)) return subscribers;
  return subscribers.includes(id) ? userIds : [];
}
