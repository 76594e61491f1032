// A mention begins a word: after nothing, a blank, a quotation mark, an opening bracket or a slash.
const before = "(?<![^\\s'\"({\\[/<])";
// A link to a channel is not made where the brackets of a Markdown link may surround it.
const beforeLink = "(?<![^\\s'\"({/<])";

/** `@**name**` and `@_**name**`: groups are the underscore and the name. A new expression each time, as it keeps its place. */
export const userMention = (): RegExp => new RegExp(`${before}@(_?)\\*\\*([^*]+)\\*\\*`, "g");

/** `@*name*` and `@_*name*`. */
export const groupMention = (): RegExp => new RegExp(`${before}@(_?)\\*([^*]+)\\*`, "g");

/** `#**channel**`. */
export const channelLink = (): RegExp => new RegExp(`${beforeLink}#\\*\\*([^*]+)\\*\\*`, "g");

/** `#**channel>topic**`, where the topic may be empty. */
export const topicLink = (): RegExp => new RegExp(`${beforeLink}#\\*\\*([^*>]+)>([^*]*)\\*\\*`, "g");

/** `#**channel>topic@message**`. */
export const messageLink = (): RegExp => new RegExp(`${beforeLink}#\\*\\*([^*>]+)>([^*]*)@(\\d+)\\*\\*`, "g");

/** All that may turn out to be a name, wherever it stands: quotes and other constructs change what is before a mention. */
export const possibleUserNames = (): RegExp => /@_?\*\*(?=([^*]+)\*\*)/g;
export const possibleGroupNames = (): RegExp => /@_?\*(?=([^*]+)\*)/g;
export const possibleChannelNames = (): RegExp => /#\*\*(?=([^*>]+)(?:>([^*]*))?\*\*)/g;

/** What a user mention names: an ID, a full name, or both. */
export function readUserName(name: string): { fullName: string | undefined; id: number | undefined } {
  const match = /^(.+)?\|(\d{1,15})$/s.exec(name);
  return match ? { fullName: match[1], id: Number(match[2]) } : { fullName: name, id: undefined };
}

export const channelWildcards: ReadonlySet<string> = new Set(["all", "everyone", "stream", "channel"]);
export const topicWildcards: ReadonlySet<string> = new Set(["topic"]);
