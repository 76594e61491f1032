import { batchesOf } from "../batches.ts";
import { newSubscription } from "../channels/defaults.ts";
import { membershipEvent } from "../channels/manage/create.ts";
import type { OutboxJob } from "../jobs/outbox.ts";
import { unseenMarking } from "../messages/flags/mark-unseen.ts";
import { type Channel, updateChannelStats } from "../store/channels/channels.ts";
import {
  createSubscription,
  endSubscription,
  findSubscriptionsTo,
  resumeSubscription,
  type Subscription,
} from "../store/channels/subscriptions.ts";
import { commitNumbered, type Numbers } from "../store/log/log.ts";
import { retryOnConflict } from "../store/table/conflicts.ts";
import type { Write } from "../store/table/writes.ts";

/** Users per transaction: with the subscriber count, the event and a job below DynamoDB's 100 items. */
const batchSize = 95;

/**
 * Subscribes users who are not subscribed yet, and returns their IDs. Each batch is a transaction with one event; batches
 * run in sequence as all update the channel's subscriber count. Idempotent: a repetition completes the rest. Costs 8 write
 * units for one user.
 */
export async function subscribe(
  channel: Channel,
  userIds: readonly number[],
  colorOf: (userId: number) => string | undefined = () => undefined,
): Promise<number[]> {
  const changed = await changeInBatches(channel, userIds, "join", (userId, current, numbers) => {
    if (current?.active) return undefined;
    const newOne = newSubscription(userId, channel.id, numbers.message);
    const color = colorOf(userId);
    return current
      ? resumeSubscription(current, numbers.message, color ?? current.color)
      : createSubscription({ ...newOne, color: color ?? newOne.color });
  });
  return changed.flatMap(({ ids }) => ids);
}

const endCurrent: ChangeSubscription = (_userId, current, numbers) =>
  current?.active ? endSubscription(current, numbers.message) : undefined;

/** Suspends the subscriptions of deactivated users, who find what they have not read when they return; like `unsubscribe`. */
export const suspend = async (channel: Channel, userIds: readonly number[]): Promise<number[]> =>
  (await changeInBatches(channel, userIds, "leave", endCurrent)).flatMap(({ ids }) => ids);

/** Up to this many users are marked by the request itself; more by a job. */
const maxMarkedAtOnce = 10;

/**
 * Unsubscribes users and marks what they have not read of the channel as read. Returns the IDs of those who were subscribed; in
 * batches like `subscribe`. Costs 8 write units for one user, 3 for the job that does the marking should the request die, and 5
 * more if something was unread.
 */
export async function unsubscribe(channel: Channel, userIds: readonly number[]): Promise<number[]> {
  const changed = await changeInBatches(channel, userIds, "leave", endCurrent, (user_ids, { message }) =>
    unseenMarking({ channel_id: channel.id, up_to: message - 1, user_ids }),
  );
  for (const { extra } of changed) await (userIds.length > maxMarkedAtOnce ? extra?.job.send() : extra?.markNow());
  return changed.flatMap(({ ids }) => ids);
}

type ChangeSubscription = (
  userId: number,
  current: Subscription | undefined,
  numbers: Pick<Numbers, "message">,
) => Write | undefined;

/** A batch as it was committed: the users whose subscription changed, and what was written with it. */
interface ChangedBatch<Extra> {
  ids: number[];
  extra: Extra | undefined;
}

/** What a batch writes in addition to the subscriptions. */
type ExtraOf<Extra> = (ids: number[], numbers: Numbers) => Extra;

async function changeInBatches<Extra extends { job: OutboxJob }>(
  channel: Channel,
  userIds: readonly number[],
  op: "join" | "leave",
  change: ChangeSubscription,
  extraOf?: ExtraOf<Extra>,
): Promise<ChangedBatch<Extra>[]> {
  const uniqueIds = [...new Set(userIds)];
  const subscriptionByUser = await readSubscriptions(channel.id, uniqueIds);
  const idsToChange = uniqueIds.filter((id) => change(id, subscriptionByUser.get(id), { message: 0 }) !== undefined);
  const changed: ChangedBatch<Extra>[] = [];
  for (const batch of batchesOf(idsToChange, batchSize))
    changed.push(await changeBatch(channel, batch, subscriptionByUser, op, change, extraOf));
  return changed;
}

async function readSubscriptions(channelId: number, userIds: readonly number[]) {
  const subscriptions = await findSubscriptionsTo(channelId, userIds);
  return new Map(userIds.map((id, index) => [id, subscriptions[index]]));
}

/** Changes one batch in one transaction; starts with `alreadyRead`, and reads the subscriptions again after a conflict. */
async function changeBatch<Extra extends { job: OutboxJob }>(
  channel: Channel,
  userIds: number[],
  alreadyRead: Awaited<ReturnType<typeof readSubscriptions>>,
  op: "join" | "leave",
  change: ChangeSubscription,
  extraOf: ExtraOf<Extra> | undefined,
): Promise<ChangedBatch<Extra>> {
  let firstSubscriptions: typeof alreadyRead | undefined = alreadyRead;
  return retryOnConflict(async () => {
    const subscriptionByUser = firstSubscriptions ?? (await readSubscriptions(channel.id, userIds));
    firstSubscriptions = undefined;
    const ids = userIds.filter((id) => change(id, subscriptionByUser.get(id), { message: 0 }) !== undefined);
    if (ids.length === 0) return { ids, extra: undefined };
    const { extra } = await commitNumbered({}, (numbers) => {
      const extra = extraOf?.(ids, numbers);
      return {
        writes: [
          ...ids.flatMap((id) => change(id, subscriptionByUser.get(id), numbers) ?? []),
          updateChannelStats(channel.id, { add: { subscriberCount: op === "join" ? ids.length : -ids.length } }),
          ...(extra ? [extra.job.write] : []),
        ],
        events: [membershipEvent(op, channel, ids)],
        extra,
      };
    });
    return { ids, extra };
  });
}
