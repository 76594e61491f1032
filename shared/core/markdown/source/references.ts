import { channelWildcards, topicWildcards } from "../inline/mention-syntax.ts";
import { channelPath, topicPath } from "../narrow-urls.ts";
import { plain } from "./plain.ts";

/**
 * Writes references to people, groups, channels, topics and messages, so that what is rendered leads to what is named. The short
 * forms are preferred, because they read well and follow renamed channels. A name that they cannot carry is referred to by the ID
 * of the thing. The web client contains this module too.
 */

interface Named {
  id: number;
  name: string;
}

// Code and formulas take precedence over all references; an entity would be shown as the character that it stands for.
const spoilsShortForm = /[*`\p{Cc}]|\$\$|<time:|&(?:#\d+|#x[\da-f]+|[a-z\d]+);/iu;
const isCarried = (name: string): boolean => name !== "" && name === name.trim() && !spoilsShortForm.test(name);
/** In a channel's name, the sign would end the name. */
const isCarriedChannel = (name: string): boolean => isCarried(name) && !name.includes(">");

/** A mention that notifies no one. */
export const silentMention = (user: { id: number; fullName: string }): string => mention(user, "@_");

/** A mention of a user by ID, with the name if a mention can carry it. */
export const mention = ({ id, fullName }: { id: number; fullName: string }, sign: "@" | "@_" = "@"): string =>
  `${sign}**${/[*`\p{Cc}]/u.test(fullName) ? "" : fullName}|${id}**`;

/** A mention by the name alone; undefined if it would mean something else. */
export const mentionByName = (fullName: string, sign: "@" | "@_"): string | undefined =>
  !isCarried(fullName) || /\|\d+$/.test(fullName) || channelWildcards.has(fullName) || topicWildcards.has(fullName)
    ? undefined
    : `${sign}**${fullName}**`;

export const groupMention = ({ id, name }: Named, sign: "@" | "@_" = "@"): string =>
  `${sign}*${isCarried(name) && !/^\|\d+$/.test(name) ? name : `|${id}`}*`;

export const channelReference = ({ id, name }: Named): string =>
  isCarriedChannel(name) ? `#**${name}**` : `[#${plain(name)}](${channelPath(id, name)})`;

/** Refers to a topic, or to one of its messages. */
export function topicReference(
  { id, name }: Named,
  topic: string,
  { messageId, emptyTopicName = "general chat" }: { messageId?: number; emptyTopicName?: string } = {},
): string {
  const message = messageId === undefined ? "" : `@${messageId}`;
  // A number after the last @ would be that of a message.
  const isTopicCarried = topic === "" || (isCarried(topic) && (message !== "" || !/@\d+$/.test(topic)));
  if (isCarriedChannel(name) && isTopicCarried) return `#**${name}>${topic}${message}**`;
  const label = `#${plain(name)} > ${plain(topic === "" ? emptyTopicName : topic)}${message && " @ 💬"}`;
  return `[${label}](${topicPath(id, name, topic)}${messageId === undefined ? "" : `/near/${messageId}`})`;
}
