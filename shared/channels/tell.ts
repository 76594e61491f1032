import { limits } from "../settings.ts";
import type { User } from "../store/users.ts";
import { type Caller, isBot } from "../users/caller.ts";
import type { Subscribed } from "./add.ts";

/**
 * Who is told of new subscriptions, and of which: people whom someone else has subscribed to channels that were there
 * before. Undefined when they are too many to be told.
 */
export function peopleToTell(
  { subscribed, created }: Subscribed,
  people: readonly User[],
  caller: Pick<Caller, "id">,
): Map<number, string[]> | undefined {
  if (subscribed.size > limits.bulkNewSubscriptionMessages) return undefined;
  const isNew = new Set(created.map(({ name }) => name));
  return new Map(
    people
      .filter((person) => person.id !== caller.id && !isBot(person))
      .map(({ id }): [number, string[]] => [id, (subscribed.get(id) ?? []).filter((name) => !isNew.has(name))])
      .filter(([, names]) => names.length > 0),
  );
}
