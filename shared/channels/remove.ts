import { ApiError } from "../errors.ts";
import type { Realm } from "../organization/access.ts";
import type { User } from "../store/users.ts";
import { type Caller, isBot } from "../users/caller.ts";
import { insufficient } from "./creation.ts";
import { mayKnow, mayRemoveSubscribers, type Standing } from "./rules.ts";
import { standingsToNamed } from "./standing.ts";
import { unsubscribe } from "./subscribe.ts";

/** The named channels whose subscriptions the caller may end for these people; one that is not there is an error. */
export async function accessToRemove(
  caller: Caller,
  names: readonly string[],
  people: readonly User[],
  realm: Realm,
): Promise<Standing[]> {
  const wanted = [...new Map(names.map((name) => [name.trim().toLowerCase(), name.trim()])).values()];
  const standings = await standingsToNamed(caller, wanted, realm);
  const unknown = wanted.filter((_, index) => {
    const standing = standings[index];
    return !standing || !mayKnow(standing);
  });
  if (unknown.length > 0)
    throw new ApiError("STREAM_DOES_NOT_EXIST", `Channel(s) (${unknown.join(", ")}) do not exist`, {
      stream: unknown.join(", "),
    });
  const found = standings.filter((standing) => standing !== undefined);
  // One's own bots may be taken out of any channel.
  const others = people.filter(
    ({ id, ownerId, ...user }) => id !== caller.id && !(isBot(user) && ownerId === caller.id),
  );
  if (others.length > 0 && !found.every(mayRemoveSubscribers)) throw insufficient();
  return found;
}

/** Ends the subscriptions; says of which channels somebody was subscribed to them, and of which nobody. */
export async function removeSubscriptions(
  standings: readonly Standing[],
  people: readonly User[],
): Promise<{ removed: string[]; not_removed: string[] }> {
  const ids = people.map(({ id }) => id);
  const ended = await Promise.all(standings.map(({ channel }) => unsubscribe(channel, ids)));
  const names = (which: (ended: number[]) => boolean) =>
    standings.filter((_, index) => which(ended[index] ?? [])).map(({ channel }) => channel.name);
  return {
    removed: names((done) => done.length > 0),
    not_removed: names((done) => done.length < ids.length),
  };
}
