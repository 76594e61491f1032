import { padded } from "../table/keys.ts";
import { packHtml, unpackHtml, type WithPackedHtml } from "../table/packing.ts";
import { queryItems } from "../table/queries.ts";
import { getItem } from "../table/table.ts";
import { type Condition, create, put, remove, type Write } from "../table/writes.ts";

export interface ScheduledMessage {
  id: number;
  userId: number;
  /** Grows with each edit: a schedule for an earlier version does nothing when it fires. */
  version: number;
  /** Channel messages only, like `topic`. */
  channelId?: number;
  topic?: string;
  /** Direct messages only: the recipients as the request named them; includes the sender only if it did. */
  userIds?: number[];
  content: string;
  html: string;
  /** UNIX seconds. */
  deliverAt: number;
  readBySender: boolean;
  client: string;
  failed: boolean;
}

type Stored = WithPackedHtml<ScheduledMessage>;

const key = (userId: number, id: number) => ({ pk: `USER#${userId}`, sk: `SCHEDULED#${padded(id)}` });

/** Messages that still wait are indexed by their time of delivery, for the sweeper. */
const indexKeys = ({ failed, deliverAt }: ScheduledMessage) =>
  failed ? {} : { gsi3pk: "SCHEDULED", gsi3sk: padded(deliverAt) };

const toItem = (scheduled: ScheduledMessage) => ({
  ...key(scheduled.userId, scheduled.id),
  ...indexKeys(scheduled),
  ...packHtml(scheduled),
});

/** Strongly consistent: 1 read unit. */
export const findScheduledMessage = (userId: number, id: number) =>
  getItem<Stored>(key(userId, id), { consistent: true }).then((found) => found && unpackHtml<ScheduledMessage>(found));

export const listScheduledMessages = async (userId: number) =>
  (await queryItems<Stored>({ pk: `USER#${userId}`, prefix: "SCHEDULED#", consistent: true })).map(
    unpackHtml<ScheduledMessage>,
  );

/** Owner and ID of at most 1,000 messages that are due at `untilSeconds` (UNIX time) or before, the earliest first. */
export async function listDueScheduledMessages(untilSeconds: number): Promise<{ userId: number; id: number }[]> {
  const items = await queryItems<{ pk: string; sk: string }>({
    index: "gsi3",
    pk: "SCHEDULED",
    to: padded(untilSeconds),
    limit: 1000,
  });
  return items.map(({ pk, sk }) => ({ userId: Number(pk.split("#")[1]), id: Number(sk.split("#")[1]) }));
}

export const createScheduledMessage = (scheduled: ScheduledMessage): Write => create(toItem(scheduled));

/** Replaces a scheduled message; fails when it has changed since it was read. */
export const replaceScheduledMessage = (before: ScheduledMessage, after: ScheduledMessage): Write =>
  put(toItem(after), unchanged(before));

/** Deletes a scheduled message; fails when it has changed since it was read. */
export const deleteScheduledMessage = (scheduled: ScheduledMessage): Write =>
  remove(key(scheduled.userId, scheduled.id), unchanged(scheduled));

const unchanged = ({ version, failed }: ScheduledMessage): Condition => ({ equals: { version, failed } });
