import type { FileChange } from "../files/claims.ts";
import type { OutboxJob } from "../jobs/outbox.ts";
import { type WidgetContent, widgetOf } from "../markdown/widgets.ts";
import { consistently } from "../store/consistency.ts";
import { createConversation, findConversation } from "../store/conversations.ts";
import { takeIds } from "../store/counters.ts";
import { commit, type LoggedEvent, type Numbers } from "../store/log.ts";
import { createMessage, type Message } from "../store/messages.ts";
import { createSubmessage } from "../store/submessages.ts";
import { touchTopic } from "../store/topics.ts";
import { ConditionFailed } from "../store/transactions.ts";
import { putUnlistedUserTopic, putUserTopic, type UserTopic } from "../store/user-topics.ts";
import type { Write } from "../store/writes.ts";
import type { RaisedPolicy } from "../user-topics/automatic.ts";
import { userTopicEvent } from "../user-topics/events.ts";
import type { Destination } from "./destination.ts";
import { mentionWrites, topicParticipants } from "./mention-index.ts";
import type { RenderedText } from "./render.ts";
import { widgetSubmessage, type ZForm } from "./widget-content.ts";

/** A message whose sender, destination and text have been checked. */
export interface OutgoingMessage {
  senderId: number;
  destination: Destination;
  content: string;
  rendered: RenderedText;
  /** Channel messages whose topic contains links. */
  topicLinks?: Message["topicLinks"];
  /** The uploaded files that the text links, where it may claim any. */
  files?: FileChange;
  client: string;
  readBySender: boolean;
  /** What the message shows beside its text; without it, a text that begins with a widget's command asks for one. */
  widget?: WidgetContent | ZForm | undefined;
  /** The event queue of the sending client, and its name for the message: that queue's event carries it. */
  echo?: { queueId: string; localId: string } | undefined;
  /** What the message makes of its topic for its sender, who has not muted it; told with the message. */
  raises?: RaisedPolicy | undefined;
  /** Whether it begins its topic, as far as its sender knew. */
  begins?: boolean | undefined;
  /** Jobs that must follow the message once it is written, given its ID. */
  following?: ((messageId: number) => OutboxJob[]) | undefined;
}

/** What sending a message writes; the transaction may hold other changes beside it. */
export interface MessagePlan {
  message: Message;
  writes: Write[];
  event: LoggedEvent;
  /** Events about the files that it links, for their owners: as many as `files` says. */
  fileEvents: LoggedEvent[];
  /** To be sent once the transaction holds; their writes are among `writes`. */
  jobs: readonly OutboxJob[];
}

/** Sends a message and returns its ID; one transaction, at most 12 write units below 1 KB (and 2 per participant). */
export async function sendMessage(outgoing: OutgoingMessage): Promise<number> {
  const { message, jobs } = await withFreshFiles(outgoing, (current) => withConversation(current, writeMessage));
  await Promise.all(jobs.map((job) => job.send()));
  return message.id;
}

const writeMessage = (settled: Settled): Promise<MessagePlan> =>
  commit({ events: 1 + fileEventsOf(settled), messages: 1 }, (numbers) => {
    const plan = planMessage(settled, numbers);
    return { writes: plan.writes, events: [plan.event, ...plan.fileEvents], result: plan };
  });

/** Runs `write` again when a file that the message links went away between its reading and the writing. */
async function withFreshFiles<T>(
  outgoing: OutgoingMessage,
  write: (current: OutgoingMessage) => Promise<T>,
): Promise<T> {
  for (let current = outgoing; ; )
    try {
      return await write(current);
    } catch (error) {
      if (!(error instanceof ConditionFailed) || !current.files?.events) throw error;
      current = { ...current, files: await current.files.again() };
    }
}

/** How many events a message's files add to its own. */
export const fileEventsOf = ({ files }: Pick<OutgoingMessage, "files">): number => files?.events ?? 0;

/** An outgoing message whose recipient ID is known. */
export type Settled = OutgoingMessage & {
  recipientId: number;
  newConversation: boolean;
  /** Whom a mention of the topic means. */
  participants?: number[];
};

/**
 * Runs `write` with the recipient ID of the message's destination. Two people may begin a conversation at once: the
 * one who comes second finds the other's conversation and sends into that.
 */
export async function withConversation<T>(
  outgoing: OutgoingMessage,
  write: (settled: Settled) => Promise<T>,
): Promise<T> {
  const { destination } = outgoing;
  if (destination.kind === "channel") {
    const { channel, topic } = destination;
    const participants = outgoing.rendered.topicWildcard ? await topicParticipants(channel.id, topic) : [];
    return write({ ...outgoing, recipientId: channel.recipientId, newConversation: false, participants });
  }
  const known = destination.conversation;
  if (known) return write({ ...outgoing, recipientId: known.recipientId, newConversation: false });
  try {
    return await write({ ...outgoing, recipientId: await takeIds("recipient"), newConversation: true });
  } catch (error) {
    const begun =
      error instanceof ConditionFailed ? await consistently(() => findConversation(destination.userIds)) : undefined;
    if (!begun) throw error;
    return write({ ...outgoing, recipientId: begun.recipientId, newConversation: false });
  }
}

/** The writes and the event of a message under its numbers. */
export function planMessage(settled: Settled, numbers: Numbers): MessagePlan {
  const { destination, content, rendered, topicLinks, recipientId } = settled;
  const message: Message = {
    id: numbers.message,
    senderId: settled.senderId,
    ...(destination.kind === "channel"
      ? { channelId: destination.channel.id, topic: destination.topic }
      : { userIds: destination.userIds }),
    recipientId,
    content,
    html: rendered.html,
    sentAt: Math.floor(Date.now() / 1000),
    client: settled.client,
    ...(rendered.isMeMessage && { isMe: true }),
    ...(topicLinks && { topicLinks }),
    ...(settled.files?.uploads && { uploads: settled.files.uploads }),
    ...(settled.readBySender && { readBySender: true }),
  };
  const widget = settled.widget ?? widgetOf(content);
  if (widget) message.hasSubmessages = true;
  const writes = [
    ...createMessage(message),
    ...mentionWrites(message, rendered.mentionedUserIds, settled.participants),
    ...(widget ? [createSubmessage(widgetSubmessage(message, widget, numbers.event))] : []),
  ];
  const raised = raisedTopic(settled, message);
  // Who begins a topic is remembered with it, which costs nothing, instead of in the list of its followers.
  const begunBy = settled.begins ? raised?.userId : undefined;
  if (raised) writes.push(begunBy === undefined ? putUserTopic(raised) : putUnlistedUserTopic(raised));
  if (destination.kind === "channel") {
    const place = { channelId: destination.channel.id, name: destination.topic };
    writes.push(touchTopic({ ...place, maxId: message.id }, begunBy));
  } else if (settled.newConversation) writes.push(createConversation({ userIds: destination.userIds, recipientId }));
  const files = settled.files?.plan(message) ?? { writes: [], events: [] };
  const jobs = settled.following?.(message.id) ?? [];
  writes.push(...files.writes, ...jobs.map(({ write }) => write));
  return { message, writes, event: messageEvent(message, settled, raised), fileEvents: files.events, jobs };
}

const raisedTopic = (
  { raises, senderId: userId }: OutgoingMessage,
  { channelId, topic, sentAt: updatedAt }: Message,
): UserTopic | undefined =>
  raises && channelId !== undefined && topic !== undefined
    ? { userId, channelId, topic, policy: raises, updatedAt }
    : undefined;

/**
 * The log names the message; whoever reads the log for a client shows it as that client wants it. What it makes of the
 * topic for its sender stands in the same entry: one more would be two write units more.
 */
const messageEvent = (
  message: Message,
  { echo, newConversation }: Settled,
  raised: UserTopic | undefined,
): LoggedEvent => ({
  audience:
    message.channelId === undefined
      ? { kind: "users", userIds: message.userIds ?? [] }
      : { kind: "channel", channelId: message.channelId, userIds: [message.senderId] },
  event: {
    type: "message",
    message_id: message.id,
    ...(echo && { queue_id: echo.queueId, local_id: echo.localId }),
    // Who may not know everybody comes to know the others by the first message between them.
    ...(newConversation && { begins: message.userIds }),
    ...(raised && { raised: { user_id: raised.userId, event: userTopicEvent(raised) } }),
  },
});
