import type { Realm } from "../organization/access.ts";
import { type Channel, changeChannel, findChannel } from "../store/channels.ts";
import { commit, type LoggedEvent } from "../store/log.ts";
import {
  type EditEntry,
  findMessages,
  type Message,
  readPartition,
  reviseMessage,
  topicPartition,
} from "../store/messages.ts";
import { advanceMove, findMove, type MoveRecord } from "../store/moves.ts";
import { ConditionFailed } from "../store/transactions.ts";
import type { Write } from "../store/writes.ts";
import { audiencesOfMove, deleteMessageEvent, type EditedParts, updateMessageEvent } from "./edit-events.ts";
import { finishMove } from "./move-notices.ts";
import { notesAfter } from "./moved-in.ts";
import { isProtected, isWithin } from "./periods.ts";
import { isSameTopic, topicsAfterMove } from "./topic-changes.ts";

/**
 * Messages are moved in batches, each of which is one transaction with its own event: at any moment a reader sees whole
 * batches, and has been told of each. What is left to do stands in a record until all is done.
 */

/** Bounds of one transaction: 100 items and 4 MB, with room for topics, record, outbox, events. */
const batchMessages = 80;
const batchBytes = 2_500_000;

/** The most history that a message carries; older entries are dropped. */
const mostEntries = 500;

export const withEntry = (message: Message, entry: EditEntry): EditEntry[] =>
  [entry, ...(message.editHistory ?? [])].slice(0, mostEntries);

export type MoveOrder = Pick<
  MoveRecord,
  "actorId" | "messageId" | "from" | "to" | "firstId" | "lastId" | "periods" | "at" | "propagateMode" | "resolution"
>;

/** Where the messages of an order come from and go to, with what events tell of it. */
export interface MoveScene {
  from: Channel;
  to: Channel;
  topicLinks: Message["topicLinks"];
  realm: Realm;
}

/** The next messages that an order concerns, the one that was edited aside; `more` when there may be others behind them. */
export async function nextBatch(
  order: MoveOrder,
  from: number,
): Promise<{ messages: Message[]; next: number; more: boolean }> {
  if (from > order.lastId) return { messages: [], next: from, more: false };
  const range = { from, to: order.lastId, descending: false, limit: batchMessages };
  const page = await readPartition("gsi2", topicPartition(order.from.channelId, order.from.topic), range);
  let bytes = 0;
  const taken = page.filter(({ content, html }) => {
    bytes += 2 * (content.length + html.length) + 1000;
    return bytes <= batchBytes;
  });
  // The index may be behind: what it names is read again, strongly, and only what still stands there moves.
  const current = await findMessages(
    taken.map(({ id }) => id),
    { consistent: true },
  );
  const messages = current.filter((message): message is Message => message !== undefined && concerns(order, message));
  return {
    messages,
    next: (taken.at(-1)?.id ?? order.lastId) + 1,
    more: page.length === batchMessages || taken.length < page.length,
  };
}

function concerns({ messageId, from, to, periods }: MoveOrder, message: Message): boolean {
  const { channelId = 0, topic = "" } = message;
  if (message.id === messageId || !isSameTopic({ channelId, topic }, from)) return false;
  if (channelId === to.channelId && topic === to.topic) return false;
  return periods === undefined || isWithin(periods, message);
}

/** What moving one message changes of it; `number` is one that the move has taken. */
export function movedMessage(
  message: Message,
  order: Omit<MoveOrder, "lastId" | "firstId">,
  { to, topicLinks }: MoveScene,
  number: number,
) {
  const toOther = message.channelId !== to.id;
  const newTopic = message.topic !== order.to.topic;
  const entry: EditEntry = {
    userId: order.actorId,
    at: order.at,
    ...(newTopic && { prevTopic: message.topic ?? "", topic: order.to.topic }),
    ...(toOther && { prevChannelId: message.channelId ?? 0, channelId: to.id }),
  };
  return {
    entry,
    change: {
      channelId: to.id,
      recipientId: to.recipientId,
      topic: order.to.topic,
      topicLinks,
      ...(toOther && { arrivedAs: isProtected(to) ? number : undefined }),
      ...(order.resolution === undefined && { lastMovedAt: order.at }),
    },
  };
}

/** How many message numbers a batch takes: protected history keeps when a message came. */
export const numbersOf = ({ from, to }: MoveScene): number => (from.id !== to.id && isProtected(to) ? 1 : 0);

/** What a channel notes of messages that come from another, where they lie outside of what it has noted. */
function notedBy({ from, to }: MoveScene, messages: readonly Message[]): Write[] {
  if (from.id === to.id) return [];
  const ids = messages.map(({ id }) => id);
  const movedIn = notesAfter(to.movedIn, ids, Date.now());
  const arrivals = isProtected(to) ? arrivalsAfter(to, ids) : undefined;
  return movedIn || arrivals ? [changeChannel(to, { ...(movedIn && { movedIn }), ...(arrivals && { arrivals }) })] : [];
}

function arrivalsAfter({ arrivals }: Channel, ids: readonly number[]): Channel["arrivals"] {
  const known = arrivals ?? { from: Number.POSITIVE_INFINITY, to: 0 };
  const [from, to] = [Math.min(known.from, ...ids), Math.max(known.to, ...ids)];
  return from === known.from && to === known.to ? undefined : { from, to };
}

/** The writes and events of a batch; `text` belongs to its first message. */
export async function planBatch(
  order: Omit<MoveOrder, "lastId" | "firstId">,
  messages: readonly Message[],
  scene: MoveScene,
  text?: EditedParts["text"],
): Promise<{ topics: Write[]; events: LoggedEvent[] }> {
  const newest = messages.reduce((a, b) => (a.id > b.id ? a : b));
  const [topics, { keeping, losing }] = await Promise.all([
    topicsAfterMove(order.from, order.to, messages),
    audiencesOfMove(scene.from, scene.to, newest, order.actorId, scene.realm.usersVersion),
  ]);
  const { topicLinks, to } = scene;
  const move = { channel: to, topic: order.to.topic, topicLinks, propagateMode: order.propagateMode };
  const { actorId, at } = order;
  const event = updateMessageEvent({ actorId, at, channel: scene.from, messages, text, move, audience: keeping });
  const lost = losing.length > 0 ? [deleteMessageEvent(messages, { kind: "users", userIds: losing })] : [];
  return { topics: [...topics, ...notedBy(scene, messages)], events: [event, ...lost] };
}

/**
 * Goes on with a move until it is done, or until `deadline` (UNIX milliseconds): then false. Two who go on with it at
 * once do each batch once.
 */
export async function continueMove(
  id: number,
  realm: Realm,
  topicLinks: MoveScene["topicLinks"],
  deadline: number,
): Promise<boolean> {
  let record = await findMove(id);
  let from = record?.firstId ?? 0;
  let scene: MoveScene | undefined;
  while (record && Date.now() < deadline) {
    scene ??= await sceneOf(record, realm, topicLinks);
    if (!scene) return true;
    const { messages, next, more } = await nextBatch(record, from);
    try {
      if (messages.length > 0) await moveBatch(record, messages, scene);
      else if (!more) {
        await finishMove(record, scene);
        return true;
      }
      from = next;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
    }
    // What the channel knows of arrivals has changed, here or elsewhere.
    if (scene.from.id !== scene.to.id) scene = undefined;
    record = await findMove(id);
  }
  return record === undefined;
}

async function sceneOf(
  record: MoveRecord,
  realm: Realm,
  topicLinks: MoveScene["topicLinks"],
): Promise<MoveScene | undefined> {
  const [from, to] = await Promise.all([findChannel(record.from.channelId), findChannel(record.to.channelId)]);
  return from && to && { from, to, realm, topicLinks };
}

async function moveBatch(record: MoveRecord, messages: readonly Message[], scene: MoveScene): Promise<void> {
  const { topics, events } = await planBatch(record, messages, scene);
  await commit({ events: events.length, messages: numbersOf(scene) }, ({ message: number }) => {
    const revised = messages.map((message) => {
      const { entry, change } = movedMessage(message, record, scene, number);
      return reviseMessage(message, { ...change, editHistory: withEntry(message, entry) });
    });
    const writes = [advanceMove(record, record.moved + messages.length), ...revised, ...topics];
    return { writes, events, result: undefined };
  });
}
