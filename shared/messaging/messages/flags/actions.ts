import { batchesOf } from "../../../base/batches.ts";
import { badRequest } from "../../../base/errors.ts";
import type { Need } from "../../../base/needs.ts";
import type { Caller } from "../../../services/identity/caller.ts";
import type { Realm } from "../../../services/organization/access.ts";
import { eventForUser, type LoggedEvent } from "../../../store/log/entry.ts";
import { commit, readHead } from "../../../store/log/log.ts";
import { findFlags, giveFlag, giveStar, takeFlag } from "../../../store/messages/message-flags.ts";
import { findMessages, type Message, type MessageSummary } from "../../../store/messages/messages.ts";
import {
  findReadMarks,
  findUnreadFloors,
  putUnreadFloors,
  type ReadMarks,
  segmentIds,
} from "../../../store/messages/read-state.ts";
import { retryOnConflict } from "../../../store/table/conflicts.ts";
import { prefetch } from "../../../store/table/shared-reads.ts";
import { Reader } from "../reader.ts";
import type { MessageFlagsEvent, UnreadDetails } from "./event-types.ts";
import { type EditableFlag, flagsOf, isRead, readPersonalState } from "./flags.ts";

type FlagOp = "add" | "remove";

/** Up to this many messages are read to check access; longer lists are only compared with the reader's marks. */
const maxAccessChecks = 16;
/** The limits of a transaction. Its events list the messages, with details if they become unread. */
const maxSegments = 50;
const maxReadIds = 50_000;
const maxReadIdsPerEvent = 5000;
const maxUnreadIds = 1000;

/** Who changes flags of messages. The messages are read early if the change needs access to them. */
export const readerOfFlagged: Need<
  Reader,
  { caller: Caller; params: { messages: number[]; op: FlagOp; flag: string }; realm: Promise<Realm> }
> = {
  early: (sent) => {
    const ids = sent("messages") ?? [];
    const needsAccessCheck = sent("op") === "add" || sent("flag") === "read";
    return needsAccessCheck && ids.length <= maxAccessChecks ? findMessages(ids) : undefined;
  },
  load: async ({ caller, realm }) => new Reader(caller, await realm),
};

export const flagEvent = (
  userId: number,
  op: FlagOp,
  flag: EditableFlag,
  messages: readonly number[],
  extra: Partial<Pick<MessageFlagsEvent, "message_details" | "all">> = {},
): LoggedEvent =>
  eventForUser(userId, {
    type: "update_message_flags",
    op,
    operation: op,
    flag,
    messages: [...messages],
    all: false,
    ...extra,
  });

/** Splits a sorted list into parts that fit into a transaction, by number of IDs and of mark segments. */
function* transactionParts(ids: readonly number[], maxIds: number): Generator<number[]> {
  let part: number[] = [];
  let segments = new Set<number>();
  for (const id of ids) {
    segments.add(Math.floor(id / segmentIds));
    if (part.length === maxIds || segments.size > maxSegments) {
      yield part;
      part = [];
      segments = new Set([Math.floor(id / segmentIds)]);
    }
    part.push(id);
  }
  if (part.length > 0) yield part;
}

const sortedUnique = (ids: readonly number[]) => [...new Set(ids)].sort((a, b) => a - b);

/**
 * Marks messages as read and returns those that were unread. One mark segment covers 32,768 IDs: 1,000 neighbouring
 * messages cost about 15 write units and 4 read units, mostly for the event that lists them.
 */
export async function markAsRead(
  reader: Reader,
  ids: readonly number[],
  known?: readonly MessageSummary[],
): Promise<number[]> {
  const userId = reader.caller?.id ?? 0;
  if (ids.length <= maxAccessChecks) prefetch(() => findReadMarks(userId, ids));
  const readable = await readableAmong(reader, sortedUnique(ids), known);
  return addReadMarks(userId, readable.ids, (id, marks) => {
    const message = readable.messages.get(id);
    return message ? !isRead(reader, message, marks) : marks.of(id) !== true;
  });
}

/** Marks those of the messages as read that `isUnread` selects by the user's current marks, with events; returns their IDs. */
export async function addReadMarks(
  userId: number,
  ids: readonly number[],
  isUnread: (id: number, marks: ReadMarks) => boolean,
): Promise<number[]> {
  const changed: number[] = [];
  for (const part of transactionParts(ids, maxReadIds)) {
    changed.push(
      ...(await retryOnConflict(async () => {
        const marks = await findReadMarks(userId, part);
        const unread = part.filter((id) => isUnread(id, marks));
        if (unread.length === 0) return [];
        for (const id of unread) marks.mark(id, true);
        const events = [...batchesOf(unread, maxReadIdsPerEvent)].map((batch) =>
          flagEvent(userId, "add", "read", batch),
        );
        await commit({ writes: marks.writes(userId), events });
        return unread;
      })),
    );
  }
  return changed;
}

/**
 * Those of the given messages that the reader may read. Of a long list, only IDs above the newest message are left out: a mark
 * on a message that the reader may not read has no effect.
 */
async function readableAmong(reader: Reader, ids: number[], known: readonly MessageSummary[] | undefined) {
  if (!known && ids.length > maxAccessChecks) {
    const { message: newest } = await readHead();
    return { ids: ids.filter((id) => id > 0 && id <= newest), messages: new Map<number, MessageSummary>() };
  }
  const summaries: readonly MessageSummary[] = known ?? (await findMessages(ids)).flatMap((message) => message ?? []);
  await reader.load(summaries.flatMap(({ channelId }) => channelId ?? []));
  const messages = new Map(
    summaries.filter((message) => reader.reach(message)).map((message) => [message.id, message]),
  );
  return { ids: ids.filter((id) => messages.has(id)), messages };
}

/** Loads messages in the order of `ids`, and what the reader may read of their channels. Costs 0.5 read units each. */
async function loadMessages(reader: Reader, ids: readonly number[]): Promise<(Message | undefined)[]> {
  const found = await findMessages(ids);
  await reader.load(found.flatMap((message) => message?.channelId ?? []));
  return found;
}

/** Returns loaded messages. Throws when one is absent or unreadable. */
const checkReadable = (reader: Reader, messages: readonly (Message | undefined)[]): Message[] =>
  messages.map((message) => {
    if (!message || !reader.reach(message)) throw badRequest("Invalid message(s)");
    return message;
  });

/**
 * Marks messages as unread. Messages of archived channels, and of channels to which the reader is not subscribed, are ignored,
 * and these channels are returned. Costs 0.5 read units per message. See https://zulip.com/api/update-message-flags.
 */
async function markAsUnread(
  reader: Reader,
  ids: readonly number[],
): Promise<{ changed: number[]; ignoredChannels: number[] }> {
  const userId = reader.caller?.id ?? 0;
  const messages = checkReadable(reader, await loadMessages(reader, sortedUnique(ids)));
  const isIgnored = ({ channelId }: Message) => channelId !== undefined && !reader.tracksUnread(channelId);
  const ignoredChannels = sortedUnique(messages.filter(isIgnored).flatMap(({ channelId }) => channelId ?? []));
  const byId = new Map(messages.filter((message) => !isIgnored(message)).map((message) => [message.id, message]));
  const changed: number[] = [];
  for (const part of transactionParts([...byId.keys()], maxUnreadIds)) {
    const partMessages = part.flatMap((id) => byId.get(id) ?? []);
    changed.push(...(await retryOnConflict(() => markPartAsUnread(reader, userId, partMessages))));
  }
  return { changed, ignoredChannels };
}

async function markPartAsUnread(reader: Reader, userId: number, messages: readonly Message[]): Promise<number[]> {
  const [marks, floors, state] = await Promise.all([
    findReadMarks(
      userId,
      messages.map(({ id }) => id),
    ),
    findUnreadFloors(userId),
    readPersonalState(reader, messages),
  ]);
  const readMessages = messages.filter((message) => isRead(reader, message, marks));
  if (readMessages.length === 0) return [];
  const channels = { ...floors.channels };
  let { direct } = floors;
  for (const { id, channelId } of readMessages) {
    marks.mark(id, false);
    if (channelId === undefined) direct = Math.min(direct, id);
    else {
      // Without a floor, nothing is unread before the subscription.
      const floor = channels[channelId] ?? reader.subscription(channelId)?.periods[0]?.[0] ?? 0;
      channels[channelId] = Math.min(floor, id);
    }
  }
  const details = Object.fromEntries(
    readMessages.map((message) => [message.id, unreadDetails(reader, message, flagsOf(reader, message, state))]),
  );
  const changed = readMessages.map(({ id }) => id);
  await commit({
    writes: [...marks.writes(userId), putUnreadFloors(userId, floors, { channels, direct })],
    events: [flagEvent(userId, "remove", "read", changed, { message_details: details })],
  });
  return changed;
}

/**
 * What clients need to count a message as unread again; see `message_details` in
 * https://zulip.com/api/get-events#update_message_flags-remove.
 */
export function unreadDetails(
  reader: Reader,
  { channelId, topic, userIds = [] }: Message,
  flags: readonly string[],
): UnreadDetails {
  const mentioned = (flags.includes("mentioned") || flags.includes("wildcard_mentioned")) && { mentioned: true };
  if (channelId === undefined)
    return { type: "private", user_ids: userIds.filter((id) => id !== reader.caller?.id), ...mentioned };
  return {
    type: "stream",
    stream_id: channelId,
    topic: topic ?? "",
    unmuted_stream_msg: reader.subscription(channelId)?.isMuted !== true,
    ...mentioned,
  };
}

/** A star has two writes. */
const maxFlagsPerTransaction = 40;

/** Adds or removes a flag that is stored per message, and returns the changed messages. Costs 3 to 10 write units each. */
async function changeSparseFlag(
  reader: Reader,
  ids: readonly number[],
  op: FlagOp,
  flag: "starred" | "collapsed",
): Promise<number[]> {
  const userId = reader.caller?.id ?? 0;
  const findIdsToChange = async (candidates: readonly number[]) => {
    const flags = await findFlags(userId, candidates);
    return candidates.filter((id) => (flags.get(id)?.has(flag) ?? false) !== (op === "add"));
  };
  const uniqueIds = sortedUnique(ids);
  // A few messages have been prefetched, so their channels are read in parallel with the flags. Of many, only those that change
  // are read.
  const [idsToChange, fewMessages] = await Promise.all([
    findIdsToChange(uniqueIds),
    op === "add" && uniqueIds.length <= maxAccessChecks ? loadMessages(reader, uniqueIds) : undefined,
  ]);
  const readableOf = async (part: readonly number[], loaded?: readonly (Message | undefined)[]) =>
    checkReadable(reader, loaded ? part.map((id) => loaded[uniqueIds.indexOf(id)]) : await loadMessages(reader, part));
  const messages = op === "add" ? await readableOf(idsToChange, fewMessages) : [];
  const byId = new Map(messages.map((message) => [message.id, message]));
  const changed: number[] = [];
  for (const batch of batchesOf(idsToChange, maxFlagsPerTransaction)) {
    let isRetry = false;
    const changePart = async () => {
      const part = isRetry ? await findIdsToChange(batch) : batch;
      if (isRetry && op === "add") for (const message of await readableOf(part)) byId.set(message.id, message);
      isRetry = true;
      if (part.length === 0) return part;
      const writes = part.flatMap((id) => {
        if (op === "remove") return takeFlag(userId, id, flag);
        return flag === "starred" ? giveStar(userId, byId.get(id) as Message) : giveFlag(userId, id, flag);
      });
      await commit({ writes, events: [flagEvent(userId, op, flag, part)] });
      return part;
    };
    changed.push(...(await retryOnConflict(changePart)));
  }
  return changed;
}

interface FlagChange {
  changed: number[];
  /** Only when marking messages as unread. */
  ignoredChannels?: number[];
}

/** Adds or removes a flag that clients may change; `known` are messages that have been loaded already. */
export async function changeFlag(
  reader: Reader,
  ids: readonly number[],
  op: FlagOp,
  flag: EditableFlag,
  known?: readonly MessageSummary[],
): Promise<FlagChange> {
  if (flag !== "read") return { changed: await changeSparseFlag(reader, ids, op, flag) };
  if (op === "remove") return markAsUnread(reader, ids);
  return { changed: await markAsRead(reader, ids, known) };
}
