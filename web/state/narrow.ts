import { inThisZone } from "../base/lib/dates.ts";
import {
  type Conversation,
  conversationKey,
  conversationOf,
  directConversation,
  type Message,
  roles,
  type State,
  topicKey,
  visibilityPolicies,
} from "./model.ts";

/** Which messages a view shows; `web/navigation/address.ts` has their URLs. */
export type Narrow =
  | { kind: "feed" }
  | { kind: "channel"; channelId: number }
  | { kind: "topic"; channelId: number; topic: string }
  | { kind: "direct"; userIds: readonly number[] }
  | { kind: "directs" }
  | { kind: "mentions" }
  | { kind: "starred" }
  | { kind: "sender"; userId: number }
  | { kind: "search"; terms: readonly Term[] };

/** One term of a search, as the API takes it. */
export interface Term {
  operator: string;
  operand: string | number | readonly number[];
  negated?: boolean;
}

export function narrowKey(narrow: Narrow): string {
  switch (narrow.kind) {
    case "channel":
      return `channel:${narrow.channelId}`;
    case "topic":
    case "direct":
      return conversationKey(narrow);
    case "sender":
      return `sender:${narrow.userId}`;
    case "search":
      return `search:${JSON.stringify(narrow.terms)}`;
    default:
      return narrow.kind;
  }
}

/** A narrow as the API takes it. */
export function termsOf(narrow: Narrow): Term[] {
  switch (narrow.kind) {
    case "feed":
      return [{ operator: "in", operand: "home" }];
    case "channel":
      return [{ operator: "channel", operand: narrow.channelId }];
    case "topic":
      return [
        { operator: "channel", operand: narrow.channelId },
        { operator: "topic", operand: narrow.topic },
      ];
    case "direct":
      return [{ operator: "dm", operand: narrow.userIds }];
    case "directs":
      return [{ operator: "is", operand: "dm" }];
    case "mentions":
      return [{ operator: "is", operand: "mentioned" }];
    case "starred":
      return [{ operator: "is", operand: "starred" }];
    case "sender":
      return [{ operator: "sender", operand: narrow.userId }];
    case "search":
      return narrow.terms.map((term) =>
        /^(before|after|date)$/.test(term.operator) ? { ...term, operand: inThisZone(String(term.operand)) } : term,
      );
  }
}

/** Whether the state contains the channel and the people that a narrow names. Only the server knows whether they exist. */
export function isKnown(
  narrow: Narrow,
  { channels, users, userId }: Pick<State, "channels" | "users" | "userId">,
): boolean {
  if (narrow.kind === "channel" || narrow.kind === "topic") return channels.has(narrow.channelId);
  // Some users are hidden from guests, who may still have messages with them.
  return (
    narrow.kind !== "direct" || users.get(userId)?.role === roles.guest || narrow.userIds.every((id) => users.has(id))
  );
}

/** Whether a message belongs to a narrow; undefined if only the server can tell. */
export function matches(narrow: Narrow, message: Message, state: State): boolean | undefined {
  switch (narrow.kind) {
    case "feed":
      return !isMuted(message, state);
    case "channel":
      return message.stream_id === narrow.channelId && message.type === "stream";
    case "topic":
      return (
        message.type === "stream" &&
        message.stream_id === narrow.channelId &&
        message.subject.toLowerCase() === narrow.topic.toLowerCase()
      );
    case "direct":
      return (
        message.type === "private" &&
        conversationKey(conversationOf(message, state.userId)) ===
          conversationKey(directConversation(narrow.userIds, state.userId))
      );
    case "directs":
      return message.type === "private";
    case "mentions":
      return message.flags.some((flag) => flag === "mentioned" || flag.endsWith("wildcard_mentioned"));
    case "starred":
      return state.starred.has(message.id);
    case "sender":
      return message.sender_id === narrow.userId;
    case "search":
      return undefined;
  }
}

/** Whether a message is in a muted channel or topic, and so omitted from combined views. */
export function isMuted(message: Message, state: State): boolean {
  if (message.type !== "stream") return false;
  return isTopicMuted(message.stream_id ?? 0, message.subject, state);
}

export function isTopicMuted(channelId: number, topic: string, state: Pick<State, "topicPolicies" | "subscriptions">) {
  const policy = state.topicPolicies.get(topicKey(channelId, topic)) ?? visibilityPolicies.inherited;
  if (policy === visibilityPolicies.muted) return true;
  return policy === visibilityPolicies.inherited && (state.subscriptions.get(channelId)?.is_muted ?? false);
}

/** The conversation that a narrow shows, if it is exactly one; new messages go there. */
export function conversationIn(narrow: Narrow): Conversation | undefined {
  return narrow.kind === "topic" || narrow.kind === "direct" ? narrow : undefined;
}

/** The values of the setting `web_mark_read_on_scroll_policy`, as the API numbers them. */
export const markReadPolicies = { always: 1, inConversations: 2, never: 3 } as const;

/** Searches that show whole conversations, as `operator:operand`, with a minus if they are negated. */
const wholeConversationSearches: ReadonlySet<string> = new Set([
  "in:home",
  "in:all",
  "is:resolved",
  "-is:dm",
  "-is:muted",
  "-channels:archived",
]);

/**
 * Whether the messages of a narrow become read when they are seen. As in Zulip, only in views that show whole conversations: a
 * message that was found by a search, or by a mention, may be read without what was said before it.
 */
export function marksAsRead(narrow: Narrow, policy: unknown): boolean {
  if (policy === markReadPolicies.never) return false;
  if (conversationIn(narrow)) return true;
  if (policy === markReadPolicies.inConversations) return false;
  if (narrow.kind === "feed" || narrow.kind === "channel" || narrow.kind === "directs") return true;
  const [term, ...others] = narrow.kind === "search" ? narrow.terms : [];
  if (!term || others.length > 0) return false;
  return wholeConversationSearches.has(`${term.negated ? "-" : ""}${term.operator}:${term.operand}`);
}
