import { conversationName } from "../store/conversations.ts";
import type { Message } from "../store/messages.ts";
import { hasAttachment, hasImage, hasLink, hasReaction } from "./facts.ts";
import { flagsOf, type PersonalState } from "./flags.ts";
import { isFollowed, isMuted, type TopicPolicies } from "./muting.ts";
import type { Reader } from "./reader.ts";
import { matchesSearch } from "./search.ts";
import type { HasOperand, IsOperand, Resolved } from "./terms.ts";

/** What the terms of a narrow are tested against beside the message. */
export interface Surroundings {
  reader: Reader;
  state: PersonalState;
  policies: TopicPolicies;
}

/** Terms that ask for what is the reader's own. */
export const asksForState = (terms: readonly Resolved[]) =>
  terms.some((term) => term.by === "is" && ["starred", "unread", "mentioned", "alerted"].includes(term.what));
export const asksForPolicies = (terms: readonly Resolved[]) =>
  terms.some((term) => term.by === "home" || (term.by === "is" && ["followed", "muted"].includes(term.what)));

/** Whether a message matches all terms of a narrow. */
export const matches = (terms: readonly Resolved[], message: Message, around: Surroundings): boolean =>
  terms.every((term) => holds(term, message, around) !== term.negated);

function holds(term: Resolved, message: Message, around: Surroundings): boolean {
  const { channelId, userIds = [] } = message;
  switch (term.by) {
    case "channel":
      return channelId === term.id;
    case "channels": {
      const channel = channelId === undefined ? undefined : around.reader.channel(channelId);
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
      return isSo(term.what, message, around);
    case "has":
      return facts[term.what](message);
    case "home":
      return !isMuted(around.reader, message, around.policies);
    case "id":
      return message.id === term.id;
    case "search":
      return matchesSearch(message, term.query);
  }
}

const facts: Record<HasOperand, (message: Message) => boolean> = {
  attachment: hasAttachment,
  image: hasImage,
  link: hasLink,
  reaction: hasReaction,
};

function isSo(what: IsOperand, message: Message, { reader, state, policies }: Surroundings): boolean {
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
