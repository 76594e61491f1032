import { conversationName } from "../../store/messages/conversations.ts";
import type { Message } from "../../store/messages/messages.ts";
import { flagsOf, type PersonalState } from "../flags/flags.ts";
import { isFollowed, isMuted, type TopicPolicies } from "../flags/muting.ts";
import { hasAttachment, hasImage, hasLink, hasReaction } from "../html-facts.ts";
import type { Reader } from "../reader.ts";
import { matchesSearch } from "../search/search.ts";
import type { HasOperand, IsOperand, ResolvedTerm } from "./terms.ts";

/** What narrow terms depend on besides the message itself. */
export interface NarrowContext {
  reader: Reader;
  state: PersonalState;
  policies: TopicPolicies;
}

/** Whether terms depend on the reader's own flags, and, below, on their topic policies. */
export const dependsOnFlags = (terms: readonly ResolvedTerm[]) =>
  terms.some((term) => term.by === "is" && ["starred", "unread", "mentioned", "alerted"].includes(term.what));
export const dependsOnPolicies = (terms: readonly ResolvedTerm[]) =>
  terms.some((term) => term.by === "home" || (term.by === "is" && ["followed", "muted"].includes(term.what)));

/** Whether a message matches all terms of a narrow. */
export const matches = (terms: readonly ResolvedTerm[], message: Message, context: NarrowContext): boolean =>
  terms.every((term) => termMatches(term, message, context) !== term.negated);

function termMatches(term: ResolvedTerm, message: Message, context: NarrowContext): boolean {
  const { channelId, userIds = [] } = message;
  switch (term.by) {
    case "channel":
      return channelId === term.id;
    case "channels": {
      const channel = channelId === undefined ? undefined : context.reader.channel(channelId);
      return channel !== undefined && (channel.isWebPublic || (term.which === "public" && !channel.inviteOnly));
    }
    case "topic":
      return channelId !== undefined && message.topic?.toLowerCase() === term.topic.toLowerCase();
    case "sender":
      return message.senderId === term.id;
    case "dm":
      return channelId === undefined && conversationName(userIds) === conversationName(term.userIds);
    case "dm-including":
      return channelId === undefined && term.userIds.every((id) => userIds.includes(id));
    case "group-pm-with":
      return channelId === undefined && userIds.length > 2 && term.userIds.every((id) => userIds.includes(id));
    case "is":
      return matchesIs(term.what, message, context);
    case "has":
      return hasPredicates[term.what](message);
    case "home":
      return !isMuted(context.reader, message, context.policies);
    case "id":
      return message.id === term.id;
    case "search":
      return matchesSearch(message, term.query);
  }
}

const hasPredicates: Record<HasOperand, (message: Message) => boolean> = {
  attachment: hasAttachment,
  image: hasImage,
  link: hasLink,
  reaction: hasReaction,
};

function matchesIs(what: IsOperand, message: Message, { reader, state, policies }: NarrowContext): boolean {
  switch (what) {
    case "dm":
      return message.channelId === undefined;
    case "followed":
      return isFollowed(message, policies);
    case "muted":
      return isMuted(reader, message, policies);
    case "resolved":
      return message.topic?.startsWith("✔ ") === true;
    default: {
      const flags = flagsOf(reader, message, state);
      if (what === "unread") return !flags.includes("read");
      if (what === "starred") return flags.includes("starred");
      if (what === "alerted") return flags.includes("has_alert_word");
      return flags.includes("mentioned") || flags.includes("wildcard_mentioned");
    }
  }
}
