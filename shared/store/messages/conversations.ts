import { getItem } from "../table/table.ts";
import { create, type Write } from "../table/writes.ts";

/** A set of people who write to each other directly. */
export interface Conversation {
  /** Sorted, each once. */
  userIds: number[];
  recipientId: number;
}

/** Names a set of participants: "3,14,15". */
export const conversationName = (userIds: readonly number[]) => [...new Set(userIds)].sort((a, b) => a - b).join(",");

const key = (userIds: readonly number[]) => ({ pk: `CONVERSATION#${conversationName(userIds)}`, sk: "CONVERSATION" });

export const findConversation = (userIds: readonly number[]) => getItem<Conversation>(key(userIds));

export const createConversation = (conversation: Conversation): Write =>
  create({ ...key(conversation.userIds), ...conversation });
