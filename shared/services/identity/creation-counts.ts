import { administratorFactor, type CreationKind, limitOf } from "../../base/creation-limits.ts";
import { ApiError, dailyLimitHit } from "../../base/errors.ts";
import { secondsPerDay } from "../../base/time.ts";
import { addRequests, secondsLeft } from "../../store/users/request-counts.ts";
import { type Caller, isAdministrator } from "./caller.ts";

/** Counts what people create in a UTC day. The counter is atomic: concurrent requests together do not exceed the limit. */

type Creator = Pick<Caller, "id" | "role">;

export const creationWindow = (kind: CreationKind, { id }: Pick<Creator, "id">) => ({
  name: `${kind} ${id}`,
  seconds: secondsPerDay,
});

/** How many of a kind somebody may create in a day; undefined: what the rate limit of requests allows. */
export function dailyLimit(kind: CreationKind, creator: Creator): number | undefined {
  const { perDay } = limitOf(kind);
  return perDay === "requests" ? undefined : perDay * (isAdministrator(creator) ? administratorFactor : 1);
}

/**
 * Counts what somebody is about to create; throws RATE_LIMIT_HIT, and counts nothing, above the limit of the day. Costs 1 write
 * unit, 2 when it throws.
 */
export async function countCreations(creator: Creator, kind: CreationKind, count = 1): Promise<void> {
  const limit = dailyLimit(kind, creator);
  if (limit === undefined || count === 0) return;
  const now = Date.now() / 1000;
  if ((await addRequests(creationWindow(kind, creator), now, count)) <= limit) return;
  await addRequests(creationWindow(kind, creator), now, -count);
  throw dailyLimitHit(limit, limitOf(kind).name, secondsLeft({ seconds: secondsPerDay }, now));
}

/**
 * Runs `create` after counting one of each kind that is counted by requests. A request that is refused does not count; one that
 * fails otherwise does, because it may have created something.
 */
export async function counted<T>(
  creator: Creator,
  kinds: readonly CreationKind[],
  create: () => Promise<T>,
): Promise<T> {
  for (const kind of kinds) await countCreations(creator, kind);
  try {
    return await create();
  } catch (error) {
    if (error instanceof ApiError && error.status < 500)
      for (const kind of kinds) await addRequests(creationWindow(kind, creator), Date.now() / 1000, -1).catch(() => {});
    throw error;
  }
}

/** Of the kinds that an endpoint creates, those of which a request creates one, and that have a limit per day. */
export const countedKinds = (creates: CreationKind | readonly CreationKind[] = []): CreationKind[] =>
  [creates].flat().filter((kind) => typeof limitOf(kind).perDay === "number" && !limitOf(kind).bulk);
