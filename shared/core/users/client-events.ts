import { isPresenceLimited } from "../../base/environment.ts";
import type { LogEvent, LogEventOf } from "../../base/schema/event-types.ts";
import { roles } from "../../base/schema/roles.ts";
import { members } from "../../base/schema/system-groups.ts";
import { findAccessibleIds, isAccessible, mayAccessAll } from "../../services/identity/accessible.ts";
import { type Caller, isBot, isGuest } from "../../services/identity/caller.ts";
import { maySeeEmail, placeholderEmail } from "../../services/identity/visibility.ts";
import type { Realm } from "../../services/organization/access.ts";
import { listSubscriberIds } from "../../store/channels/subscriptions.ts";
import { findUserStatus, listUserStatuses, type UserStatus } from "../../store/users/user-status.ts";
import { findUser, findUsers, listUsers, type User } from "../../store/users/users.ts";
import { listProfileFields } from "../profile-fields/state.ts";
import { toProfileDataWire } from "../profile-fields/wire.ts";
import type { RealmUserEvent, UserStatusEvent } from "./event-types.ts";
import { placeholderUser, unknownName } from "./placeholder-user.ts";
import { toStatusWire } from "./status.ts";
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

/** A message's entry, of which only this matters here: the participants of the conversation that the message begins. */
interface MessageEntry {
  type: "message";
  message_id: number;
  begins?: number[];
}

/** A deletion's entry; `ends`: the participants of the conversation whose last messages were deleted. */
interface DeletionEntry {
  type: "delete_message";
  ends?: number[];
}

/** Whether an event changes whom guests can access: the organization's setting. */
const changesGuestsAccess = (event: AnyEntry): event is LogEventOf<"realm"> =>
  event.type === "realm" && event.op === "update_dict" && "can_access_all_users_group" in event.data;

type AnyEntry = LogEvent | MessageEntry | DeletionEntry;
type ConversationChange = Required<MessageEntry> | Required<DeletionEntry>;
type AccessChange = Membership | ConversationChange | LogEventOf<"realm"> | LogEventOf<"role_change">;

/**
 * Whether an event may change which users are accessible: users joining or leaving a channel, a new conversation or one
 * whose messages were deleted, another role, or the organization's setting.
 */
export const changesVisibleUsers = (event: AnyEntry): event is AccessChange =>
  (event.type === "subscription" && event.op !== "update") ||
  (event.type === "message" && event.begins !== undefined) ||
  (event.type === "delete_message" && event.ends !== undefined) ||
  event.type === "role_change" ||
  changesGuestsAccess(event);

/** People who have become accessible to a user by an event, or no longer are. */
export interface RevealedUsers {
  people: User[];
  appear: boolean;
  /** The others whose address of e-mail appears or disappears, with what the user sees of it by the event. */
  addresses: { id: number; address: string | null }[];
}

/**
 * The people, without bots, who become accessible or inaccessible to the reader by an event, and the addresses that appear or disappear.
 * Where everybody appears, these include the people who were accessible before, because who that was may have changed since.
 */
export async function usersRevealedBy(event: AnyEntry, { caller, realm }: EventReader): Promise<RevealedUsers> {
  const none = { people: [], appear: false, addresses: [] };
  if (!changesVisibleUsers(event)) return none;
  if (event.type === "role_change" || event.type === "realm") {
    const appear = appearsWithAll(event, caller, realm);
    if (appear === undefined && event.type === "realm") return none;
    const [users, accessibleIds] = await Promise.all([
      listUsers(),
      appear === false ? accessibleIdsOfGuest(caller, realm) : new Set([caller.id]),
    ]);
    const people = appear === undefined ? [] : users.filter((user) => !isBot(user) && !accessibleIds?.has(user.id));
    const revealedIds = new Set(people.map(({ id }) => id));
    const isOther = ({ id }: { id: number }) => !revealedIds.has(id);
    return {
      people,
      appear: appear === true,
      addresses: event.type === "role_change" ? addressesRevealedBy(event, users, caller).filter(isOther) : [],
    };
  }
  if (mayAccessAll(caller, realm)) return none;
  const messagesFrom = event.type === "message" ? event.message_id : undefined;
  const channelId = event.type === "subscription" ? event.stream_id : undefined;
  const accessibleIds = await findAccessibleIds(caller, realm, { channelId, messagesFrom });
  const candidateIds = await affectedUsers(event, caller);
  const ids = [...new Set(candidateIds)].filter((id) => !accessibleIds?.has(id));
  const people = (await findUsers(ids)).filter((user) => user !== undefined).filter((user) => !isBot(user));
  return { people, appear: event.type === "message" || ("op" in event && event.op === "join"), addresses: [] };
}

/** The addresses of `users` that another role of the caller shows or hides. */
const addressesRevealedBy = (
  { before, after }: LogEventOf<"role_change">,
  users: readonly User[],
  { id }: Caller,
): RevealedUsers["addresses"] =>
  users
    .map((user) => ({ user, isSeen: maySeeEmail({ id, role: after }, user) }))
    .filter(({ user, isSeen }) => isSeen !== maySeeEmail({ id, role: before }, user))
    .map(({ user, isSeen }) => ({ id: user.id, address: isSeen ? user.email : null }));

/** Whether everybody becomes accessible to a user, or no longer is; undefined if neither. */
function appearsWithAll(
  event: LogEventOf<"realm"> | LogEventOf<"role_change">,
  caller: Caller,
  realm: Realm,
): boolean | undefined {
  const isLimited = !mayAccessAll({ ...caller, role: roles.guest }, realm);
  if (event.type === "realm") return isGuest(caller) ? !isLimited : undefined;
  if (!isLimited || isGuest({ role: event.before }) === isGuest({ role: event.after })) return undefined;
  return !isGuest(caller);
}

/** Whom a user can access as a guest with limited access. */
const accessibleIdsOfGuest = (caller: Caller, { settings }: Realm) =>
  findAccessibleIds(
    { ...caller, role: roles.guest },
    { settings: { ...settings, can_access_all_users_group: members } },
  );

/** The events for users who become accessible or inaccessible, or whose address does. With somebody who appears, their status does. */
export async function userVisibilityEvents(
  { people, appear, addresses }: RevealedUsers,
  { caller }: Pick<EventReader, "caller">,
): Promise<(RealmUserEvent | UserStatusEvent)[]> {
  return [
    ...(appear ? await appearanceEvents(people, caller) : people.map(removal)),
    ...addresses.map(
      ({ id, address }): RealmUserEvent => ({
        type: "realm_user",
        op: "update",
        person: { user_id: id, delivery_email: address },
      }),
    ),
  ];
}

const removal = ({ id }: User): RealmUserEvent => ({
  type: "realm_user",
  op: "remove",
  person: { user_id: id, full_name: unknownName },
});

async function appearanceEvents(
  people: readonly User[],
  caller: Caller,
): Promise<(RealmUserEvent | UserStatusEvent)[]> {
  if (people.length === 0) return [];
  const [fields, statuses] = await Promise.all([listProfileFields(), findStatuses(people)]);
  return [
    ...people.map(
      (user): RealmUserEvent => ({
        type: "realm_user",
        op: "add",
        person: { ...toUserWire(user, false, caller), ...toProfileDataWire(user, fields) },
      }),
    ),
    ...statuses
      .map((status, index) => ({ id: (people[index] as User).id, status: toStatusWire(status) }))
      .filter(({ status }) => Object.keys(status).length > 0)
      .map(({ id, status }): UserStatusEvent => ({ type: "user_status", user_id: id, ...status })),
  ];
}

/** Of more people, all statuses are listed: few have one. */
const maxStatusLookups = 50;

async function findStatuses(people: readonly User[]): Promise<(UserStatus | undefined)[]> {
  if (people.length <= maxStatusLookups) return Promise.all(people.map(({ id }) => findUserStatus(id)));
  const byUser = new Map((await listUserStatuses()).map((status) => [status.userId, status]));
  return people.map(({ id }) => byUser.get(id));
}

const addressFields = (user: User, caller: Caller) => {
  const { email, delivery_email } = toUserWire(user, false, caller);
  return { email, delivery_email };
};

/**
 * The participants of a conversation; all subscribers if the caller joined or left; otherwise the users who did, if the caller is
 * subscribed.
 */
async function affectedUsers(event: Membership | ConversationChange, { id }: Caller): Promise<number[]> {
  if (event.type === "message") return event.begins;
  if (event.type === "delete_message") return event.ends;
  const { stream_id, user_ids: userIds } = event;
  const subscribers = await listSubscriberIds(stream_id);
  if (userIds.includes(id)) return subscribers;
  return subscribers.includes(id) ? userIds : [];
}
