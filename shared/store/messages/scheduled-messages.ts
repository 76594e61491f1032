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
  /** Channel messages only, with their topic. */
  channelId?: number;
  topic?: string;
  /** Direct messages only: the recipients as named, without the sender unless named. */
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

/** Those that still wait are listed by the time of their delivery, for the sweeper. */
const listed = ({ failed, deliverAt }: ScheduledMessage) =>
  failed ? {} : { gsi3pk: "SCHEDULED", gsi3sk: padded(deliverAt) };

const itemOf = (scheduled: ScheduledMessage) => ({
  ...key(scheduled.userId, scheduled.id),
  ...listed(scheduled),
  ...packHtml(scheduled),
});

/** Strongly consistent: 1 read unit. */
export const findScheduledMessage = (userId: number, id: number) =>
  getItem<Stored>(key(userId, id), { consistent: true }).then((found) => found && unpackHtml<ScheduledMessage>(found));

export const listScheduledMessages = async (userId: number) =>
  (await queryItems<Stored>({ pk: `USER#${userId}`, prefix: "SCHEDULED#", consistent: true })).map(
    unpackHtml<ScheduledMessage>,
  );

/** Owner and ID of at most 1,000 that are due at `untilSeconds` (UNIX time) or before and still wait, the earliest first. */
export async function listDue(untilSeconds: number): Promise<{ userId: number; id: number }[]> {
  const items = await queryItems<{ pk: string; sk: string }>({
    index: "gsi3",
    pk: "SCHEDULED",
    to: padded(untilSeconds),
    limit: 1000,
  });
  return items.map(({ pk, sk }) => ({ userId: Number(pk.split("#")[1]), id: Number(sk.split("#")[1]) }));
}

export const createScheduledMessage = (scheduled: ScheduledMessage): Write => create(itemOf(scheduled));

/** Replaces a scheduled message that is still as it was read. */
export const replaceScheduledMessage = (before: ScheduledMessage, after: ScheduledMessage): Write =>
  put(itemOf(after), unchanged(before));

/** Removes a scheduled message that is still as it was read. */
export const deleteScheduledMessage = (scheduled: ScheduledMessage): Write =>
  remove(key(scheduled.userId, scheduled.id), unchanged(scheduled));

const unchanged = ({ version, failed }: ScheduledMessage): Condition => ({ equals: { version, failed } });
