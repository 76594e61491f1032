import { conversationName } from "../../../store/messages/conversations.ts";
import type { Message } from "../../../store/messages/messages.ts";
import { flagsOf, type PersonalState } from "../flags/flags.ts";
import { isFollowed, isMuted, type TopicPolicies } from "../flags/muting.ts";
import { hasAttachment, hasImage, hasLink, hasReaction, mentionedUsers } from "../html-facts.ts";
import type { Reader } from "../reader.ts";
import { matchesSearch } from "../search/match.ts";
import { parseSearch, type Search } from "../search/query.ts";
import type { HasOperand, IsOperand, ResolvedTerm } from "./terms.ts";

/** What narrow terms depend on besides the message itself. */
interface NarrowContext {
  reader: Reader;
  state: PersonalState;
  policies: TopicPolicies;
}

export const dependsOnFlags = (terms: readonly ResolvedTerm[]) =>
  terms.some((term) => term.kind === "is" && ["starred", "unread", "mentioned", "alerted"].includes(term.operand));
export const dependsOnPolicies = (terms: readonly ResolvedTerm[]) =>
  terms.some((term) => term.kind === "home" || (term.kind === "is" && ["followed", "muted"].includes(term.operand)));

export const matches = (terms: readonly ResolvedTerm[], message: Message, context: NarrowContext): boolean =>
  terms.every((term) => termMatches(term, message, context) !== term.negated);

/** What a search term says. Whoever excludes a word does not exclude those that begin with it. */
export const searchOf = (
  { realm }: Reader,
  { query, negated, emojiOf }: Extract<ResolvedTerm, { kind: "search" }>,
): Search => parseSearch(query, { language: realm.settings.default_language, completes: !negated, emojiOf });

function termMatches(term: ResolvedTerm, message: Message, context: NarrowContext): boolean {
  const { channelId, userIds = [] } = message;
  switch (term.kind) {
    case "channel":
      return channelId === term.id;
    case "channels": {
      const channel = channelId === undefined ? undefined : context.reader.channel(channelId);
      return channel !== undefined && (channel.isWebPublic || (term.operand === "public" && !channel.inviteOnly));
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
    case "mentions":
      return mentionedUsers(message).includes(term.id);
    case "sent":
      return (
        message.sentAt >= (term.period.start ?? Number.NEGATIVE_INFINITY) &&
        message.sentAt < (term.period.end ?? Number.POSITIVE_INFINITY)
      );
    case "is":
      return matchesIs(term.operand, message, context);
    case "has":
      return hasPredicates[term.operand](message);
    case "home":
      return !isMuted(context.reader, message, context.policies);
    case "id":
      return message.id === term.id;
    case "search":
      return matchesSearch(message, searchOf(context.reader, term));
  }
}

const hasPredicates: Record<HasOperand, (message: Message) => boolean> = {
  attachment: hasAttachment,
  image: hasImage,
  link: hasLink,
  reaction: hasReaction,
};

function matchesIs(operand: IsOperand, message: Message, { reader, state, policies }: NarrowContext): boolean {
  switch (operand) {
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
      if (operand === "unread") return !flags.includes("read");
      if (operand === "starred") return flags.includes("starred");
      if (operand === "alerted") return flags.includes("has_alert_word");
      return flags.includes("mentioned") || flags.includes("wildcard_mentioned");
    }
  }
}
