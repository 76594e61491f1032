// A mention must follow the text's start, whitespace, a quotation mark, an opening bracket or a slash.
const beforeMention = "(?<![^\\s'\"({\\[/<])";
// A channel link must not follow `[`, because it may be in the text of a Markdown link.
const beforeLink = "(?<![^\\s'\"({/<])";

/**
 * `@**name**` and `@_**name**`; the groups are the underscore and the name. Each call returns a new expression, because a
 * global one has state (`lastIndex`).
 */
export const userMentionPattern = (): RegExp => new RegExp(`${beforeMention}@(_?)\\*\\*([^*]+)\\*\\*`, "g");

/** `@*name*` and `@_*name*`; `@*|id*` for a name that contains what would end it. */
export const groupMentionPattern = (): RegExp => new RegExp(`${beforeMention}@(_?)\\*([^*]+)\\*`, "g");

/** `#**channel**`. */
export const channelLinkPattern = (): RegExp => new RegExp(`${beforeLink}#\\*\\*([^*]+)\\*\\*`, "g");

/** `#**channel>topic**`, where the topic may be empty. */
export const topicLinkPattern = (): RegExp => new RegExp(`${beforeLink}#\\*\\*([^*>]+)>([^*]*)\\*\\*`, "g");

/** `#**channel>topic@message**`. */
export const messageLinkPattern = (): RegExp => new RegExp(`${beforeLink}#\\*\\*([^*>]+)>([^*]*)@(\\d+)\\*\\*`, "g");

/**
 * These match everything that may turn out to be a mention, after any character: parsing other constructs changes what precedes
 * the mention.
 */
export const possibleUserNames = (): RegExp => /@_?\*\*(?=([^*]+)\*\*)/g;
export const possibleGroupNames = (): RegExp => /@_?\*(?=([^*]+)\*)/g;
export const possibleChannelNames = (): RegExp => /#\*\*(?=([^*>]+)(?:>([^*]*))?\*\*)/g;

/** Parses the name in a user mention: a full name, an ID, or both. */
export function readUserName(name: string): { fullName: string | undefined; id: number | undefined } {
  const match = /^(.+)?\|(\d{1,15})$/s.exec(name);
  return match ? { fullName: match[1], id: Number(match[2]) } : { fullName: name, id: undefined };
}

/** Parses the name in a group mention: an ID, or else a name. */
export function readGroupName(name: string): { name: string } | { id: number } {
  const id = /^\|(\d{1,15})$/.exec(name)?.[1];
  return id === undefined ? { name } : { id: Number(id) };
}

export const channelWildcards: ReadonlySet<string> = new Set(["all", "everyone", "stream", "channel"]);
export const topicWildcards: ReadonlySet<string> = new Set(["topic"]);
