import { idOf, padded } from "./keys.ts";
import { getItem, queryItems } from "./table.ts";
import { create, type Write } from "./writes.ts";

/** From which message ID on, and up to which, a user was subscribed: `[from, to)`, open while it lasts. */
export type Period = [from: number, to?: number];

/** A user's relation to a channel: it stays when they leave, since their history follows from its periods. */
export interface Subscription {
  userId: number;
  channelId: number;
  active: boolean;
  periods: Period[];
  color: string;
  isMuted: boolean;
  pinToTop: boolean;
  /** null: as the user's general setting says. */
  desktopNotifications: boolean | null;
  audibleNotifications: boolean | null;
  pushNotifications: boolean | null;
  emailNotifications: boolean | null;
  wildcardMentionsNotify: boolean | null;
}

const key = (userId: number, channelId: number) => ({ pk: `USER#${userId}`, sk: `SUBSCRIPTION#${padded(channelId)}` });

/** Only active subscriptions are listed under their channel. */
const listed = (subscription: Subscription) =>
  subscription.active
    ? { gsi3pk: `SUBSCRIBERS#${subscription.channelId}`, gsi3sk: `USER#${padded(subscription.userId)}` }
    : {};

/** 0.5 read units. */
export const findSubscription = (userId: number, channelId: number) => getItem<Subscription>(key(userId, channelId));

/** All of a user's subscriptions, the former ones too. */
export const listSubscriptions = (userId: number) =>
  queryItems<Subscription>({ pk: `USER#${userId}`, prefix: "SUBSCRIPTION#" });

/** IDs of a channel's present subscribers, ascending; about 0.5 read units for 80. */
export async function listSubscriberIds(channelId: number): Promise<number[]> {
  const items = await queryItems<{ gsi3sk: string }>({ index: "gsi3", pk: `SUBSCRIBERS#${channelId}` });
  return items.map(({ gsi3sk }) => idOf(gsi3sk));
}

export const createSubscription = (subscription: Subscription): Write =>
  create({ ...key(subscription.userId, subscription.channelId), ...listed(subscription), ...subscription });
