import { corrected } from "../table/consistency.ts";
import { padded } from "../table/keys.ts";
import { getItem, getItems, queryIds, queryItems } from "../table/reads.ts";
import { create, remove, update, type Write } from "../table/writes.ts";

/** The message IDs `[from, to)` during which a user was subscribed; without `to` while the subscription lasts. */
export type Period = [from: number, to?: number];

/** A user's subscription to a channel. It is kept after they leave, because its periods decide which history they may read. */
export interface Subscription {
  userId: number;
  channelId: number;
  active: boolean;
  periods: Period[];
  color: string;
  isMuted: boolean;
  pinToTop: boolean;
  /** null: the user's general setting applies. The same holds for the settings below. */
  desktopNotifications: boolean | null;
  audibleNotifications: boolean | null;
  pushNotifications: boolean | null;
  emailNotifications: boolean | null;
  wildcardMentionsNotify: boolean | null;
}

const key = (userId: number, channelId: number) => ({ pk: `USER#${userId}`, sk: `SUBSCRIPTION#${padded(channelId)}` });

/** Only active subscriptions are in the channel's index of subscribers. */
const indexKeys = ({ userId, channelId }: Pick<Subscription, "userId" | "channelId">) => ({
  gsi3pk: `SUBSCRIBERS#${channelId}`,
  gsi3sk: `USER#${padded(userId)}`,
});

export const findSubscription = (userId: number, channelId: number) =>
  getItem<Subscription>(key(userId, channelId), corrected);

/** One user's subscriptions to several channels, in their order; 0.5 read units each. */
export const findSubscriptionsOf = (userId: number, channelIds: readonly number[]) =>
  getItems<Subscription>(
    channelIds.map((channelId) => key(userId, channelId)),
    corrected,
  );

/** Several users' subscriptions to one channel, in the order of `userIds`; 0.5 read units each. */
export const findSubscriptionsTo = (channelId: number, userIds: readonly number[]) =>
  getItems<Subscription>(
    userIds.map((userId) => key(userId, channelId)),
    corrected,
  );

/** All of a user's subscriptions, including former ones. */
export const listSubscriptions = (userId: number) =>
  queryItems<Subscription>({ pk: `USER#${userId}`, prefix: "SUBSCRIPTION#", ...corrected });

/** IDs of a channel's current subscribers, ascending; 0.5 read units for about 80. */
export const listSubscriberIds = (channelId: number) => queryIds({ index: "gsi3", pk: `SUBSCRIBERS#${channelId}` });

export const createSubscription = (subscription: Subscription): Write =>
  create({
    ...key(subscription.userId, subscription.channelId),
    ...(subscription.active && indexKeys(subscription)),
    ...subscription,
  });

/** Reactivates a former subscription; fails when it has changed since it was read. */
export const resumeSubscription = (former: Subscription, from: number, color: string): Write =>
  update(
    key(former.userId, former.channelId),
    { set: { active: true, periods: [...former.periods, [from]], color, ...indexKeys(former) } },
    { equals: { active: false, periods: former.periods } },
  );

/** Ends a subscription before the message `to`; fails when it has changed since it was read. */
export const endSubscription = (current: Subscription, to: number): Write => {
  const [from] = current.periods.at(-1) ?? [to];
  const endedPeriods: Period[] = from < to ? [[from, to]] : [];
  return update(
    key(current.userId, current.channelId),
    {
      set: { active: false, periods: [...current.periods.slice(0, -1), ...endedPeriods] },
      remove: ["gsi3pk", "gsi3sk"],
    },
    { equals: { active: true, periods: current.periods } },
  );
};

/** An index of the users who want e-mail for every message of a channel, so that a message need not read all subscriptions. */
const emailIndexKeys = (userId: number, channelId: number) => ({
  gsi1pk: `MAILED#${channelId}`,
  gsi1sk: `USER#${padded(userId)}`,
});

/** IDs of users who want e-mail for every message of a channel, including former subscribers; 0.5 read units for about 10. */
export const listEmailSubscriberIds = (channelId: number) => queryIds({ index: "gsi1", pk: `MAILED#${channelId}` });

/** Changes a user's own settings of a subscription, which must be active. */
export function updateSubscription(
  userId: number,
  channelId: number,
  set: Partial<Omit<Subscription, "userId" | "channelId" | "active" | "periods">>,
): Write {
  const change = {
    set: { ...set, ...(set.emailNotifications && emailIndexKeys(userId, channelId)) },
    ...("emailNotifications" in set && !set.emailNotifications && { remove: ["gsi1pk", "gsi1sk"] }),
  };
  return update(key(userId, channelId), change, { equals: { active: true } });
}

/** Undoes a subscription to a channel whose creation failed. */
export const deleteSubscription = (userId: number, channelId: number): Write => remove(key(userId, channelId));
