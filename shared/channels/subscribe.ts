import type { Channel } from "../store/channels.ts";
import { updateChannelStats } from "../store/channels.ts";
import { commit, type Numbers } from "../store/log.ts";
import {
  createSubscription,
  endSubscription,
  findSubscriptionsTo,
  resumeSubscription,
  type Subscription,
} from "../store/subscriptions.ts";
import { ConditionFailed } from "../store/transactions.ts";
import type { Write } from "../store/writes.ts";
import { membershipEvent } from "./actions.ts";
import { startingSubscription } from "./defaults.ts";

/** Users of one transaction: with the channel's number and the event below 100 items. */
const batchSize = 95;

/**
 * Subscribes those who are not subscribed yet, and returns their IDs. Batches of 95 with one event each, one after the
 * other since all count up one number: each is whole, and doing it again does only what is left. 8 write units for one.
 */
export const subscribe = (
  channel: Channel,
  userIds: readonly number[],
  colorOf: (userId: number) => string | undefined = () => undefined,
): Promise<number[]> =>
  inBatches(channel, userIds, "join", (userId, current, numbers) => {
    if (current?.active) return undefined;
    const fresh = startingSubscription(userId, channel.id, numbers.message);
    const color = colorOf(userId);
    return current
      ? resumeSubscription(current, numbers.message, color ?? current.color)
      : createSubscription({ ...fresh, color: color ?? fresh.color });
  });

/** Ends the subscriptions of those who are subscribed, and returns their IDs; in batches as above. */
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

const mostAttempts = 20;

/** One batch in one transaction; those whom someone else has changed meanwhile are looked at again. */
async function changeBatch(
  channel: Channel,
  userIds: number[],
  known: Map<number, Subscription | undefined>,
  op: "join" | "leave",
  change: Change,
): Promise<number[]> {
  let subscriptions = known;
  for (let attempt = 1; ; attempt++) {
    const ids = userIds.filter((id) => change(id, subscriptions.get(id), { message: 0 }) !== undefined);
    if (ids.length === 0) return [];
    try {
      return await commit({ events: 1 }, (numbers) => ({
        writes: [
          ...ids.flatMap((id) => change(id, subscriptions.get(id), numbers) ?? []),
          updateChannelStats(channel.id, { add: { subscriberCount: op === "join" ? ids.length : -ids.length } }),
        ],
        events: [membershipEvent(op, channel, ids)],
        result: ids,
      }));
    } catch (error) {
      if (!(error instanceof ConditionFailed) || attempt === mostAttempts) throw error;
      const fresh = await findSubscriptionsTo(channel.id, userIds);
      subscriptions = new Map(userIds.map((id, index) => [id, fresh[index]]));
    }
  }
}
