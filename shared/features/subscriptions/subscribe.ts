import { batchesOf } from "../../base/batches.ts";
import { newSubscription } from "../../core/channels/defaults.ts";
import { markUnseenJob } from "../../messaging/messages/flags/jobs.ts";
import { markUnseen } from "../../messaging/messages/flags/mark-unseen.ts";
import { nowOrLater, outboxJob } from "../../services/jobs/outbox.ts";
import { type Channel, updateChannelStats } from "../../store/channels/channels.ts";
import {
  createSubscription,
  endSubscription,
  findSubscriptionsTo,
  resumeSubscription,
  type Subscription,
} from "../../store/channels/subscriptions.ts";
import { commitNumbered, type Numbers } from "../../store/log/log.ts";
import { retryOnConflict } from "../../store/table/conflicts.ts";
import type { FollowUp } from "../../store/table/follow-ups.ts";
import type { Write } from "../../store/table/writes.ts";
import { membershipEvent } from "../channels/create.ts";

/** Users per transaction: with the subscriber count, the event and a job below DynamoDB's 100 items. */
const batchSize = 95;

/**
 * Subscribes users who are not subscribed yet, and returns their IDs. Each batch is a transaction with one event; batches
 * run in sequence as all update the channel's subscriber count. Idempotent: a repetition completes the rest. Costs 8 write
 * units for one user.
 */
export function subscribe(
  channel: Channel,
  userIds: readonly number[],
  colorOf: (userId: number) => string | undefined = () => undefined,
): Promise<number[]> {
  return changeInBatches(channel, userIds, "join", (userId, current, numbers) => {
    if (current?.active) return undefined;
    const newOne = newSubscription(userId, channel.id, numbers.message);
    const color = colorOf(userId);
    return current
      ? resumeSubscription(current, numbers.message, color ?? current.color)
      : createSubscription({ ...newOne, color: color ?? newOne.color });
  });
}

const endCurrent: ChangeSubscription = (_userId, current, numbers) =>
  current?.active ? endSubscription(current, numbers.message) : undefined;

/** Suspends the subscriptions of deactivated users, who find what they have not read when they return; like `unsubscribe`. */
export const suspend = (channel: Channel, userIds: readonly number[]): Promise<number[]> =>
  changeInBatches(channel, userIds, "leave", endCurrent);

/** Up to this many users are marked by the request itself; more by a job. */
const maxMarkedAtOnce = 10;

/**
 * Unsubscribes users and marks what they have not read of the channel as read. Returns the IDs of those who were subscribed; in
 * batches like `subscribe`. Costs 8 write units for one user, 3 for the job that does the marking should the request die, and 5
 * more if something was unread.
 */
export const unsubscribe = (channel: Channel, userIds: readonly number[]): Promise<number[]> =>
  changeInBatches(channel, userIds, "leave", endCurrent, (user_ids, { message }) => {
    const unseen = { channel_id: channel.id, up_to: message - 1, user_ids };
    return userIds.length > maxMarkedAtOnce
      ? outboxJob(markUnseenJob, unseen)
      : nowOrLater(markUnseenJob, unseen, () => markUnseen(unseen));
  });

type ChangeSubscription = (
  userId: number,
  current: Subscription | undefined,
  numbers: Pick<Numbers, "message">,
) => Write | undefined;

/** What follows the change of a batch of users. */
type FollowUpOf = (ids: number[], numbers: Numbers) => FollowUp;

/** Returns the IDs of the users whose subscription changed. */
async function changeInBatches(
  channel: Channel,
  userIds: readonly number[],
  op: "join" | "leave",
  change: ChangeSubscription,
  followUpOf?: FollowUpOf,
): Promise<number[]> {
  const uniqueIds = [...new Set(userIds)];
  const subscriptionByUser = await readSubscriptions(channel.id, uniqueIds);
  const idsToChange = uniqueIds.filter((id) => change(id, subscriptionByUser.get(id), { message: 0 }) !== undefined);
  const changedIds: number[] = [];
  for (const batch of batchesOf(idsToChange, batchSize))
    changedIds.push(...(await changeBatch(channel, batch, subscriptionByUser, op, change, followUpOf)));
  return changedIds;
}

async function readSubscriptions(channelId: number, userIds: readonly number[]) {
  const subscriptions = await findSubscriptionsTo(channelId, userIds);
  return new Map(userIds.map((id, index) => [id, subscriptions[index]]));
}

/** Changes one batch in one transaction; starts with `alreadyRead`, and reads the subscriptions again after a conflict. */
async function changeBatch(
  channel: Channel,
  userIds: number[],
  alreadyRead: Awaited<ReturnType<typeof readSubscriptions>>,
  op: "join" | "leave",
  change: ChangeSubscription,
  followUpOf: FollowUpOf | undefined,
): Promise<number[]> {
  let firstSubscriptions: typeof alreadyRead | undefined = alreadyRead;
  return retryOnConflict(async () => {
    const subscriptionByUser = firstSubscriptions ?? (await readSubscriptions(channel.id, userIds));
    firstSubscriptions = undefined;
    const ids = userIds.filter((id) => change(id, subscriptionByUser.get(id), { message: 0 }) !== undefined);
    if (ids.length === 0) return ids;
    await commitNumbered({}, (numbers) => ({
      writes: [
        ...ids.flatMap((id) => change(id, subscriptionByUser.get(id), numbers) ?? []),
        updateChannelStats(channel.id, { add: { subscriberCount: op === "join" ? ids.length : -ids.length } }),
      ],
      events: [membershipEvent(op, channel, ids)],
      followUps: followUpOf ? [followUpOf(ids, numbers)] : [],
    }));
    return ids;
  });
}
