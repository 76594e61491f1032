import { type Conversation, directConversation, type ScheduledMessage } from "./model.ts";

/** The conversation to which a scheduled message is sent. */
export const scheduledConversation = ({ type, to, topic }: ScheduledMessage, ownUserId: number): Conversation =>
  type === "stream"
    ? { kind: "topic", channelId: Number(to), topic: topic ?? "" }
    : directConversation(to as number[], ownUserId);
