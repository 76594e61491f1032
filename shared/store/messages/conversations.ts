import { getItem } from "../table/reads.ts";
import { create, update, type Write } from "../table/writes.ts";

export interface Conversation {
  /** Sorted, without duplicates. */
  userIds: number[];
  recipientId: number;
  /** Whether it has no messages any more. */
  ended?: true;
}

/** Identifies a set of participants, such as "3,14,15". */
export const conversationName = (userIds: readonly number[]) => [...new Set(userIds)].sort((a, b) => a - b).join(",");

const key = (userIds: readonly number[]) => ({ pk: `CONVERSATION#${conversationName(userIds)}`, sk: "CONVERSATION" });

export const findConversation = (userIds: readonly number[]) => getItem<Conversation>(key(userIds));

export const createConversation = (conversation: Conversation): Write =>
  create({ ...key(conversation.userIds), ...conversation });

/** Notes that a conversation has no messages any more; 2 write units. */
export const endConversation = (userIds: readonly number[]): Write => update(key(userIds), { set: { ended: true } });

/** With the message that begins an ended conversation again; 2 write units. */
export const resumeConversation = (userIds: readonly number[]): Write => update(key(userIds), { remove: ["ended"] });
