import { newSubscription } from "../channels/defaults.ts";
import { membershipEvent } from "../channels/manage/create.ts";
import type { Channel } from "../store/channels/channels.ts";
import { updateChannelStats } from "../store/channels/channels.ts";
import {
  createSubscription,
  endSubscription,
  findSubscriptionsTo,
  resumeSubscription,
  type Subscription,
} from "../store/channels/subscriptions.ts";
import { commit, type Numbers } from "../store/log/log.ts";
import { retryOnConflict } from "../store/table/conflicts.ts";
import type { Write } from "../store/table/writes.ts";

/** Users per transaction: with the subscriber count and the event below DynamoDB's 100 items. */
const batchSize = 95;

/**
 * Subscribes users who are not subscribed yet, and returns their IDs. Each batch is a transaction with one event; batches
 * run in sequence as all update the channel's subscriber count. Idempotent: a repetition completes the rest. Costs 8 write
 * units for one user.
 */
export const subscribe = (
  channel: Channel,
  userIds: readonly number[],
  colorOf: (userId: number) => string | undefined = () => undefined,
): Promise<number[]> =>
  inBatches(channel, userIds, "join", (userId, current, numbers) => {
    if (current?.active) return undefined;
    const fresh = newSubscription(userId, channel.id, numbers.message);
    const color = colorOf(userId);
    return current
      ? resumeSubscription(current, numbers.message, color ?? current.color)
      : createSubscription({ ...fresh, color: color ?? fresh.color });
  });

/** Unsubscribes users and returns the IDs of those who were subscribed; in batches as above. */
export const unsubscribe = (channel: Channel, userIds: readonly number[]): Promise<number[]> =>
  inBatches(channel, userIds, "leave", (_userId, current, numbers) =>
    current?.active ? endSubscription(current, numbers.message) : undefined,
  );

type Change = (
  userId: number,
  current: Subscription | undefined,
  numbers: Pick<Numbers, "message">,
) => Write | undefined;

async function inBatches(
  channel: Channel,
  userIds: readonly number[],
  op: "join" | "leave",
  change: Change,
): Promise<number[]> {
  const unique = [...new Set(userIds)];
  const current = await findSubscriptionsTo(channel.id, unique);
  const known = new Map(unique.map((id, index) => [id, current[index]]));
  const concerned = unique.filter((id) => change(id, known.get(id), { message: 0 }) !== undefined);
  const done: number[] = [];
  for (let start = 0; start < concerned.length; start += batchSize)
    done.push(...(await changeBatch(channel, concerned.slice(start, start + batchSize), known, op, change)));
  return done;
}

/** Changes one batch in one transaction; reads the subscriptions again after a conflict. */
async function changeBatch(
  channel: Channel,
  userIds: number[],
  known: Map<number, Subscription | undefined>,
  op: "join" | "leave",
  change: Change,
): Promise<number[]> {
  let read: Map<number, Subscription | undefined> | undefined = known;
  const readAgain = async () => {
    const fresh = await findSubscriptionsTo(channel.id, userIds);
    return new Map(userIds.map((id, index) => [id, fresh[index]]));
  };
  return retryOnConflict(async () => {
    const subscriptions = read ?? (await readAgain());
    read = undefined;
    const ids = userIds.filter((id) => change(id, subscriptions.get(id), { message: 0 }) !== undefined);
    if (ids.length === 0) return [];
    return commit({ events: 1 }, (numbers) => ({
      writes: [
        ...ids.flatMap((id) => change(id, subscriptions.get(id), numbers) ?? []),
        updateChannelStats(channel.id, { add: { subscriberCount: op === "join" ? ids.length : -ids.length } }),
      ],
      events: [membershipEvent(op, channel, ids)],
      result: ids,
    }));
  });
}
