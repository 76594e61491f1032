import type { Realm } from "../organization/access.ts";
import { presenceLimited } from "../settings.ts";
import type { LoggedEvent } from "../store/log.ts";
import { listSubscriberIds } from "../store/subscriptions.ts";
import { findUser, findUsers } from "../store/users.ts";
import { accessibleUsers, isAccessible, mayAccessAll, unknownName, unknownUser } from "./accessible.ts";
import { type Caller, isBot } from "./caller.ts";
import { wireUser } from "./wire.ts";

/** Events about people, as those hear of them who may not know everybody. */

type Event = LoggedEvent["event"];
interface Reader {
  caller: Caller;
  realm: Realm;
  /** Whether the client bears with people whom it is not told of: others get a placeholder. */
  bearsGaps: boolean;
}

const aboutPeople = new Set(["realm_user", "user_status", "presence"]);

/** An event about somebody as the reader may hear of it: nothing of people whom they may not know. */
export async function showPersonEvent(event: Event, { caller, realm, bearsGaps }: Reader): Promise<Event[]> {
  if (!aboutPeople.has(event.type) || mayAccessAll(caller, realm)) return [event];
  if (event.type === "presence" && !presenceLimited()) return [event];
  const person = event.person as { user_id: number } | undefined;
  const id = person?.user_id ?? (event.user_id as number);
  const user = await findUser(id);
  if (user && (await isAccessible(caller, user, realm))) return [event];
  return event.type === "realm_user" && event.op === "add" && !bearsGaps ? [{ ...event, person: unknownUser(id) }] : [];
}

/** Whether an event may bring its readers together with people, or part them: whoever joins, leaves or writes first. */
export const changesAcquaintance = ({ type, op, begins }: Event): boolean =>
  (type === "subscription" && (op === "join" || op === "leave")) || (type === "message" && begins !== undefined);

/** At most so many people are told of at once: what one entry of the log may become. */
const mostAtOnce = 100;

/** Whom the reader may know because of such an event, and whom they may not know any more. */
export async function showAcquaintance(event: Event, { caller, realm }: Reader): Promise<Event[]> {
  if (!changesAcquaintance(event) || mayAccessAll(caller, realm)) return [];
  const conversation = event.begins as number[] | undefined;
  const channelId = event.stream_id as number | undefined;
  const known = await accessibleUsers(caller, realm, { channelId, conversation });
  const concerned = conversation ?? (await concernedBy(event, caller));
  const ids = [...new Set(concerned)].filter((id) => !known?.has(id)).slice(0, mostAtOnce);
  const people = (await findUsers(ids)).filter((user) => user !== undefined).filter((user) => !isBot(user));
  return event.op === "leave"
    ? people.map(({ id: user_id }) => ({
        type: "realm_user",
        op: "remove",
        person: { user_id, full_name: unknownName },
      }))
    : people.map((user) => ({ type: "realm_user", op: "add", person: wireUser(user, false, caller) }));
}

/** Of one's own coming and going the whole channel; else those who come and go, for whoever is in it. */
async function concernedBy({ stream_id, user_ids }: Event, { id }: Caller): Promise<number[]> {
  const userIds = user_ids as number[];
  const subscribers = await listSubscriberIds(stream_id as number);
  if (userIds.includes(id)) return subscribers;
  return subscribers.includes(id) ? userIds : [];
}
