import { getItem } from "../table/reads.ts";
import { create, type Write } from "../table/writes.ts";

export interface Conversation {
  /** Sorted, without duplicates. */
  userIds: number[];
  recipientId: number;
}

/** Identifies a set of participants, such as "3,14,15". */
export const conversationName = (userIds: readonly number[]) => [...new Set(userIds)].sort((a, b) => a - b).join(",");

const key = (userIds: readonly number[]) => ({ pk: `CONVERSATION#${conversationName(userIds)}`, sk: "CONVERSATION" });

export const findConversation = (userIds: readonly number[]) => getItem<Conversation>(key(userIds));

export const createConversation = (conversation: Conversation): Write =>
  create({ ...key(conversation.userIds), ...conversation });
