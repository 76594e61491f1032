import { badRequest } from "../errors.ts";
import { consistently } from "../store/consistency.ts";
import { commit, type LoggedEvent, readHead } from "../store/log.ts";
import { findFlags, toggleFlag } from "../store/message-flags.ts";
import { type Brief, findMessages, type Message } from "../store/messages.ts";
import { findReadMarks, findUnreadFloors, putUnreadFloors, segmentIds } from "../store/read-state.ts";
import { ConditionFailed } from "../store/transactions.ts";
import { flagsOf, isRead, readPersonalState } from "./flags.ts";
import type { Reader } from "./reader.ts";

export type FlagOp = "add" | "remove";

/** IDs in calls of at most so many are looked up; a longer list is only compared with the reader's own marks. */
const mostChecked = 16;
const mostSegments = 50;

export const flagEvent = (
  userId: number,
  op: FlagOp,
  flag: string,
  messages: readonly number[],
  extra: Record<string, unknown> = {},
): LoggedEvent => ({
  audience: { kind: "users", userIds: [userId] },
  event: { type: "update_message_flags", op, operation: op, flag, messages: [...messages], all: false, ...extra },
});

/** Runs `attempt` again while others change the same marks at the same time. */
export async function untilUndisturbed<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ConditionFailed) || tries === 20) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 15 * tries));
    }
  }
}

/** Parts of a sorted list that one transaction can hold: so many IDs, in so many segments. */
function* parts(ids: readonly number[], mostIds: number): Generator<number[]> {
  let part: number[] = [];
  let segments = new Set<number>();
  for (const id of ids) {
    segments.add(Math.floor(id / segmentIds));
    if (part.length === mostIds || segments.size > mostSegments) {
      yield part;
      part = [];
      segments = new Set([Math.floor(id / segmentIds)]);
    }
    part.push(id);
  }
  if (part.length > 0) yield part;
}

const sortedOnce = (ids: readonly number[]) => [...new Set(ids)].sort((a, b) => a - b);

/**
 * Marks messages as read and returns those that were not. Each transaction rewrites the marks of 32,768 IDs at once:
 * 1,000 neighbouring messages cost about 15 write units and 4 read units, mostly for the event that lists them.
 */
export async function markAsRead(reader: Reader, ids: readonly number[], known?: readonly Brief[]): Promise<number[]> {
  const userId = reader.caller?.id ?? 0;
  const wanted = await received(reader, sortedOnce(ids), known);
  const changed: number[] = [];
  for (const part of parts(wanted.ids, 5000)) {
    changed.push(
      ...(await untilUndisturbed(async () => {
        const marks = await findReadMarks(userId, part, true);
        const unread = part.filter((id) => {
          const message = wanted.messages.get(id);
          return message ? !isRead(reader, message, marks) : marks.of(id) !== true;
        });
        if (unread.length === 0) return [];
        for (const id of unread) marks.mark(id, true);
        return commit({ events: 1 }, () => ({
          writes: marks.writes(userId),
          events: [flagEvent(userId, "add", "read", unread)],
          result: unread,
        }));
      })),
    );
  }
  return changed;
}

async function received(reader: Reader, ids: number[], known: readonly Brief[] | undefined) {
  if (!known && ids.length > mostChecked) {
    const { message: newest } = await readHead();
    return { ids: ids.filter((id) => id > 0 && id <= newest), messages: new Map<number, Brief>() };
  }
  const found: readonly Brief[] = known ?? (await findMessages(ids)).flatMap((message) => message ?? []);
  await reader.learn(found.flatMap(({ channelId }) => channelId ?? []));
  const messages = new Map(found.filter((message) => reader.reach(message)).map((message) => [message.id, message]));
  return { ids: ids.filter((id) => messages.has(id)), messages };
}

/** The readable messages among some; BAD_REQUEST when one is absent or out of reach. 0.5 read units each. */
async function readable(reader: Reader, ids: readonly number[]): Promise<Message[]> {
  const found = await findMessages(ids);
  await reader.learn(found.flatMap((message) => message?.channelId ?? []));
  return found.map((message) => {
    if (!message || !reader.reach(message)) throw badRequest("Invalid message(s)");
    return message;
  });
}

/**
 * Marks messages as unread; messages of channels that the reader is not subscribed to are left alone, and those channels
 * returned (companion reference, C). 0.5 read units for each message.
 */
export async function markAsUnread(
  reader: Reader,
  ids: readonly number[],
): Promise<{ changed: number[]; ignoredChannels: number[] }> {
  const userId = reader.caller?.id ?? 0;
  const messages = await readable(reader, sortedOnce(ids));
  const isIgnored = ({ channelId }: Message) =>
    channelId !== undefined && reader.subscription(channelId)?.active !== true;
  const ignoredChannels = sortedOnce(messages.filter(isIgnored).flatMap(({ channelId }) => channelId ?? []));
  const byId = new Map(messages.filter((message) => !isIgnored(message)).map((message) => [message.id, message]));
  const changed: number[] = [];
  for (const part of parts([...byId.keys()], 1000)) {
    const inPart = part.flatMap((id) => byId.get(id) ?? []);
    changed.push(...(await untilUndisturbed(() => unmarkPart(reader, userId, inPart))));
  }
  return { changed, ignoredChannels };
}

async function unmarkPart(reader: Reader, userId: number, messages: readonly Message[]): Promise<number[]> {
  const [marks, floors, state] = await Promise.all([
    findReadMarks(
      userId,
      messages.map(({ id }) => id),
      true,
    ),
    findUnreadFloors(userId, true),
    readPersonalState(reader, messages),
  ]);
  const read = messages.filter((message) => isRead(reader, message, marks));
  if (read.length === 0) return [];
  const channels = { ...floors.channels };
  let { direct } = floors;
  for (const { id, channelId } of read) {
    marks.mark(id, false);
    if (channelId === undefined) direct = Math.min(direct, id);
    else channels[channelId] = Math.min(channels[channelId] ?? 0, id);
  }
  const details = Object.fromEntries(
    read.map((message) => [message.id, unreadDetails(reader, message, flagsOf(reader, message, state))]),
  );
  const changed = read.map(({ id }) => id);
  return commit({ events: 1 }, () => ({
    writes: [...marks.writes(userId), putUnreadFloors(userId, floors, { channels, direct })],
    events: [flagEvent(userId, "remove", "read", changed, { message_details: details })],
    result: changed,
  }));
}

/** What clients must know of a message that became unread (companion reference, D). */
function unreadDetails(reader: Reader, { channelId, topic, userIds = [] }: Message, flags: readonly string[]) {
  const mentioned = flags.includes("mentioned") || flags.includes("wildcard_mentioned");
  const place =
    channelId === undefined
      ? { type: "private", user_ids: userIds.filter((id) => id !== reader.caller?.id) }
      : {
          type: "stream",
          stream_id: channelId,
          topic: topic ?? "",
          unmuted_stream_msg: reader.subscription(channelId)?.isMuted !== true,
        };
  return { ...place, ...(mentioned && { mentioned }) };
}

const mostFlagged = 80;

/** Adds or removes a flag that is kept for single messages, and returns those that it changed: 3 or 4 write units each. */
export async function changeSparseFlag(
  reader: Reader,
  ids: readonly number[],
  op: FlagOp,
  flag: "starred" | "collapsed",
): Promise<number[]> {
  const userId = reader.caller?.id ?? 0;
  const toChange = async (among: readonly number[]) => {
    const flags = await findFlags(userId, among);
    return among.filter((id) => (flags.get(id)?.has(flag) ?? false) !== (op === "add"));
  };
  const changing = await toChange(sortedOnce(ids));
  if (op === "add") await readable(reader, changing);
  const changed: number[] = [];
  for (let start = 0; start < changing.length; start += mostFlagged) {
    let part = changing.slice(start, start + mostFlagged);
    await untilUndisturbed(async () => {
      if (part.length === 0) return;
      try {
        await commit({ events: 1 }, () => ({
          writes: part.map((id) => toggleFlag(userId, id, op, flag)),
          events: [flagEvent(userId, op, flag, part)],
          result: undefined,
        }));
      } catch (error) {
        part = await consistently(() => toChange(part));
        throw error;
      }
    });
    changed.push(...part);
  }
  return changed;
}
