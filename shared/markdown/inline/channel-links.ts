import { atomicElement, type Element } from "../element.ts";
import { hasMark } from "../marks.ts";
import { channelPath, topicPath } from "../narrow-urls.ts";
import { channelLink, messageLink, topicLink } from "./mention-syntax.ts";
import type { InlineParser, InlineRule } from "./parser.ts";
import { pattern } from "./pattern.ts";

/** `#**channel>topic@message**`. */
export const messageLinkRule: InlineRule = pattern("message_link", "#**", messageLink, (match, inline) => {
  const channel = inline.state.facts.channelByName(match[1]!);
  if (!channel || hasMark(match[2]!)) return undefined;
  const href = `/${topicPath(channel.id, channel.name, match[2]!)}/near/${match[3]}`;
  return topicElement(inline, { class: "message-link", href }, channel.name, match[2]!, " @ 💬");
});

/** `#**channel>topic**`: leads to the topic by its latest message, so that it finds the topic after a move. */
export const topicLinkRule: InlineRule = pattern("topic_link", "#**", topicLink, (match, inline) => {
  const { facts } = inline.state;
  const channel = facts.channelByName(match[1]!);
  // Markup in the name has been parsed already: there is no telling which topic was meant.
  if (!channel || hasMark(match[2]!)) return undefined;
  const latest = facts.latestInTopic(channel.id, match[2]!);
  const path = topicPath(channel.id, channel.name, match[2]!);
  return topicElement(
    inline,
    {
      class: "stream-topic",
      "data-stream-id": String(channel.id),
      href: `/${path}${latest === undefined ? "" : `/with/${latest}`}`,
    },
    channel.name,
    match[2]!,
    "",
  );
});

/** `#**channel**`. */
export const channelLinkRule: InlineRule = pattern("channel_link", "#**", channelLink, (match, inline) => {
  const channel = inline.state.facts.channelByName(match[1]!);
  if (!channel) return undefined;
  const href = `/${channelPath(channel.id, channel.name)}`;
  return atomicElement("a", { class: "stream", "data-stream-id": String(channel.id), href }, `#${channel.name}`);
});

function topicElement(
  inline: InlineParser,
  attributes: Record<string, string>,
  channel: string,
  topic: string,
  suffix: string,
): Element {
  if (topic !== "") return atomicElement("a", attributes, `#${channel} > ${topic}${suffix}`);
  const link = atomicElement("a", attributes, `#${channel} > `);
  const name = atomicElement("em", {}, inline.state.facts.emptyTopicDisplayName);
  name.tail = suffix;
  link.children.push(name);
  return link;
}
