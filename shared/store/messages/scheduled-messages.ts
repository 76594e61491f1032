import { idOf, padded } from "../table/keys.ts";
import { packHtml, unpackHtml, type WithPackedHtml } from "../table/packing.ts";
import { getItem, queryItems } from "../table/reads.ts";
import { type Condition, create, put, remove, type Write } from "../table/writes.ts";

/** A message that its sender has scheduled for later. See https://zulip.com/api/create-scheduled-message. */
export interface ScheduledMessage {
  id: number;
  userId: number;
  /** Incremented by each edit, so that a schedule for an earlier version does nothing when it fires. */
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
  /** The name of the client that scheduled it. */
  client: string;
  /** Whether delivery failed; it is not tried again until the message is edited. */
  failed: boolean;
}

type Stored = WithPackedHtml<ScheduledMessage>;

const key = (userId: number, id: number) => ({ pk: `USER#${userId}`, sk: `SCHEDULED#${padded(id)}` });

/** Messages to be delivered are indexed by their delivery time, so that a sweep finds any whose schedule did not fire. */
const indexKeys = ({ failed, deliverAt }: ScheduledMessage) =>
  failed ? {} : { gsi3pk: "SCHEDULED", gsi3sk: padded(deliverAt) };

const toItem = (scheduled: ScheduledMessage) => ({
  ...key(scheduled.userId, scheduled.id),
  ...indexKeys(scheduled),
  ...packHtml(scheduled),
});

export const findScheduledMessage = (userId: number, id: number) =>
  getItem<Stored>(key(userId, id)).then((found) => found && unpackHtml<ScheduledMessage>(found));

/** A user's scheduled messages by ID, including failed ones. 1 read unit for each 4 KB. */
export const listScheduledMessages = async (userId: number) =>
  (await queryItems<Stored>({ pk: `USER#${userId}`, prefix: "SCHEDULED#" })).map(unpackHtml<ScheduledMessage>);

/** The owner and ID of at most 1,000 messages that are due at `untilSeconds` (UNIX time) or before, the earliest first. */
export const listDueScheduledMessages = (untilSeconds: number) => listDue("SCHEDULED", untilSeconds);

/** The same, for the items of any partition of the index whose sort keys are times. */
export async function listDue(partition: string, untilSeconds: number): Promise<{ userId: number; id: number }[]> {
  const items = await queryItems({ index: "gsi3", pk: partition, to: padded(untilSeconds), limit: 1000 });
  return items.map(({ pk, sk }) => ({ userId: idOf(pk), id: idOf(sk) }));
}

export const createScheduledMessage = (scheduled: ScheduledMessage): Write => create(toItem(scheduled));

/** The write that replaces a scheduled message; its transaction fails when the message has changed since it was read. */
export const replaceScheduledMessage = (before: ScheduledMessage, after: ScheduledMessage): Write =>
  put(toItem(after), unchanged(before));

/** The write that deletes a scheduled message; its transaction fails when the message has changed since it was read. */
export const deleteScheduledMessage = (scheduled: ScheduledMessage): Write =>
  remove(key(scheduled.userId, scheduled.id), unchanged(scheduled));

const unchanged = ({ version, failed }: ScheduledMessage): Condition => ({ equals: { version, failed } });
