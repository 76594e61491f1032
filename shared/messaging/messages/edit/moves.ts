import { nowSeconds } from "../../../base/time.ts";
import { isProtected, isWithin } from "../../../core/channels/periods.ts";
import { isSameTopic } from "../../../core/channels/topics.ts";
import { outboxJob } from "../../../services/jobs/outbox.ts";
import type { Realm } from "../../../services/organization/access.ts";
import { type Channel, findChannel, updateChannelIfUnchanged } from "../../../store/channels/channels.ts";
import type { TopicMoveMark } from "../../../store/channels/topics.ts";
import { type ChangePart, commitNumbered, noChange } from "../../../store/log/log.ts";
import {
  type EditEntry,
  findMessages,
  type Message,
  readPartition,
  reviseMessage,
  topicPartition,
} from "../../../store/messages/messages.ts";
import { advanceMove, findMove, type MoveRecord } from "../../../store/messages/moves.ts";
import { succeeds } from "../../../store/table/conflicts.ts";
import { withConsistentReads } from "../../../store/table/consistency.ts";
import type { Write } from "../../../store/table/writes.ts";
import { followMessagesJob } from "../flags/jobs.ts";
import { movedInAfter } from "../flags/unread-ranges.ts";
import { withEditEntry } from "./edit-history.ts";
import { audiencesOfMove, messageDeletedEvent, messageUpdatedEvent, type UpdateMessageParts } from "./events.ts";
import { firstMessageAfterArrival, firstMessageAfterRemoval } from "./first-message.ts";
import { finishMove, type MoveContext } from "./move-notices.ts";
import { topicChangesAfterMove } from "./topic-changes.ts";
import { carryPolicies } from "./topic-policies.ts";

/**
 * Moves messages in batches. Each batch is one transaction with its own event, so that clients always see whole batches.
 * A move record stores what remains to be done until the move is complete.
 */

/** DynamoDB limits a transaction to 100 items and 4 MB; these leave room for topics, move record, outbox and events. */
const maxBatchMessages = 80;
const maxBatchBytes = 2_500_000;
/** An estimate of a message's size: most text has one or two bytes per character. */
const bytesPerCharacter = 2;
const otherFieldsBytes = 1000;

export type MoveOrder = Pick<
  MoveRecord,
  "actorId" | "messageId" | "from" | "to" | "firstId" | "lastId" | "periods" | "at" | "propagateMode" | "resolution"
>;

/**
 * Reads the next messages to move, without the edited one, which its request has moved. The search for their successors
 * starts at `nextId`; there are none unless `hasMore`.
 */
export async function nextBatch(
  order: MoveOrder,
  fromId: number,
): Promise<{ messages: Message[]; nextId: number; hasMore: boolean }> {
  if (fromId > order.lastId) return { messages: [], nextId: fromId, hasMore: false };
  const range = { from: fromId, to: order.lastId, descending: false, limit: maxBatchMessages };
  const page = await readPartition("gsi2", topicPartition(order.from.channelId, order.from.topic), range);
  let bytes = 0;
  const batch = page.filter(({ content, html }) => {
    bytes += bytesPerCharacter * (content.length + html.length) + otherFieldsBytes;
    return bytes <= maxBatchBytes;
  });
  // The index is eventually consistent: read its messages again strongly, and move only those that are still in the topic.
  const current = await withConsistentReads(() => findMessages(batch.map(({ id }) => id)));
  const messages = current.filter(
    (message): message is Message => message !== undefined && isStillToMove(order, message),
  );
  return {
    messages,
    nextId: (batch.at(-1)?.id ?? order.lastId) + 1,
    hasMore: page.length === maxBatchMessages || batch.length < page.length,
  };
}

function isStillToMove({ messageId, from, to, periods }: MoveOrder, message: Message): boolean {
  const { channelId = 0, topic = "" } = message;
  if (message.id === messageId || !isSameTopic({ channelId, topic }, from)) return false;
  if (channelId === to.channelId && topic === to.topic) return false;
  return periods === undefined || isWithin(periods, message);
}

/**
 * The changes to one moved message, and their entry in its edit history. `number` is the message number allocated for the
 * batch, if it needs one.
 */
export function planMessageMove(
  message: Message,
  order: Omit<MoveOrder, "lastId" | "firstId">,
  { to, topicLinks }: MoveContext,
  number: number,
) {
  const toOtherChannel = message.channelId !== to.id;
  const newTopic = message.topic !== order.to.topic;
  const entry: EditEntry = {
    userId: order.actorId,
    at: order.at,
    ...(newTopic && { prevTopic: message.topic ?? "", topic: order.to.topic }),
    ...(toOtherChannel && { prevChannelId: message.channelId ?? 0, channelId: to.id }),
  };
  return {
    entry,
    change: {
      channelId: to.id,
      recipientId: to.recipientId,
      topic: order.to.topic,
      topicLinks,
      ...(toOtherChannel && { arrivedAs: isProtected(to) ? number : undefined }),
      ...(order.resolution === undefined && { lastMovedAt: order.at }),
    },
  };
}

/**
 * How many message numbers a batch allocates: one for a move to another channel with protected history. It says between which
 * messages of that channel the batch arrived, and thus which subscription periods include it.
 */
export const messageNumbersNeeded = ({ from, to }: MoveContext): number =>
  from.id !== to.id && isProtected(to) ? 1 : 0;

/** Records on the target channel which ID ranges were moved into it, unless its recorded ranges include them already. */
function recordMovedIn({ from, to }: MoveContext, messages: readonly Message[]): Write[] {
  if (from.id === to.id) return [];
  const ids = messages.map(({ id }) => id);
  const movedIn = movedInAfter(to.movedIn, ids, Date.now());
  const arrivals = isProtected(to) ? arrivalsAfter(to, ids) : undefined;
  return movedIn || arrivals
    ? [updateChannelIfUnchanged(to, { ...(movedIn && { movedIn }), ...(arrivals && { arrivals }) })]
    : [];
}

function arrivalsAfter({ arrivals }: Channel, ids: readonly number[]): Channel["arrivals"] {
  const recorded = arrivals ?? { from: Number.POSITIVE_INFINITY, to: 0 };
  const [from, to] = [Math.min(recorded.from, ...ids), Math.max(recorded.to, ...ids)];
  return from === recorded.from && to === recorded.to ? undefined : { from, to };
}

/** What a batch writes and tells, but for its messages. */
interface BatchPlan extends Required<Pick<ChangePart, "events" | "followUps">> {
  /** `moveId`: the move's record. */
  writes(moveId: number): Write[];
  /** The last moves from or to the two topics. */
  earlierMoves: TopicMoveMark[];
  /** Whether the target topic is known to have messages: one who sends a message does not write the topic's record. */
  merges: boolean;
}

/** Plans the writes and events of a batch; `text` is the new text of its first message. */
export async function planBatch(
  order: Omit<MoveOrder, "lastId" | "firstId">,
  messages: readonly Message[],
  context: MoveContext,
  text?: UpdateMessageParts["text"],
): Promise<BatchPlan> {
  const newest = messages.reduce((a, b) => (a.id > b.id ? a : b));
  const ids = new Set(messages.map(({ id }) => id));
  const betweenChannels = context.from.id !== context.to.id;
  const [topics, left, arrived, { keeping, losing }] = await Promise.all([
    topicChangesAfterMove(order.from, order.to, messages),
    betweenChannels ? firstMessageAfterRemoval(context.from.id, ids) : noChange,
    betweenChannels ? firstMessageAfterArrival(context.to.id, ids) : noChange,
    audiencesOfMove(context.from, context.to, newest, order.actorId, context.realm.usersVersion),
  ]);
  const { topicLinks, to } = context;
  const move = { channel: to, topic: order.to.topic, topicLinks, propagateMode: order.propagateMode };
  const { actorId, at } = order;
  const event = messageUpdatedEvent({ actorId, at, channel: context.from, messages, text, move, audience: keeping });
  const deletions = losing ? [messageDeletedEvent(messages, losing)] : [];
  const otherWrites = [...recordMovedIn(context, messages), ...left.writes, ...arrived.writes];
  const marked = { at: nowSeconds() };
  const starred = betweenChannels ? messages.filter(({ hasStars }) => hasStars).map(({ id }) => id) : [];
  return {
    writes: (id) => [...topics.map(({ write }) => write({ id, ...marked })), ...otherWrites],
    earlierMoves: topics.flatMap(({ before }) => before?.lastMove ?? []),
    merges: topics[0]?.before?.maxId !== undefined,
    events: [event, ...deletions, ...left.events, ...arrived.events],
    followUps: starred.length > 0 ? [outboxJob(followMessagesJob, { message_ids: starred })] : [],
  };
}

/**
 * Continues a move until it is complete, or returns false at `deadline` (UNIX milliseconds). Safe to run concurrently:
 * a batch is conditional on the record's step, so that each batch is applied once.
 */
export async function continueMove(
  id: number,
  realm: Realm,
  topicLinks: MoveContext["topicLinks"],
  deadline: number,
): Promise<boolean> {
  let record = await findMove(id);
  let fromId = record?.firstId ?? 0;
  let context: MoveContext | undefined;
  while (record && Date.now() < deadline) {
    context ??= await loadMoveContext(record, realm, topicLinks);
    if (!context) return true;
    const { messages, nextId, hasMore } = await nextBatch(record, fromId);
    if (messages.length > 0) {
      if (await succeeds(moveBatch(record, messages, context))) fromId = nextId;
      // This batch or another move has changed the channel's recorded arrivals: read it again.
      if (context.from.id !== context.to.id) context = undefined;
    } else {
      fromId = nextId;
      if (!hasMore && record.policies) await succeeds(carryPolicies(record, context, deadline));
      else if (!hasMore && (await succeeds(finishMove(record, context)))) return true;
    }
    record = await findMove(id);
  }
  return record === undefined;
}

async function loadMoveContext(
  record: MoveRecord,
  realm: Realm,
  topicLinks: MoveContext["topicLinks"],
): Promise<MoveContext | undefined> {
  const [from, to] = await Promise.all([findChannel(record.from.channelId), findChannel(record.to.channelId)]);
  return from && to && { from, to, realm, topicLinks };
}

async function moveBatch(record: MoveRecord, messages: readonly Message[], context: MoveContext): Promise<void> {
  const { writes: othersOf, events, followUps } = await planBatch(record, messages, context);
  await commitNumbered({ messages: messageNumbersNeeded(context) }, ({ message: number }) => {
    const revisions = messages.map((message) => {
      const { entry, change } = planMessageMove(message, record, context, number);
      return reviseMessage(message, { ...change, editHistory: withEditEntry(message, entry) });
    });
    const writes = [
      advanceMove(record, { moved: record.moved + messages.length }),
      ...revisions,
      ...othersOf(record.id),
    ];
    return { writes, events, followUps };
  });
}
