import { atomicElement, type Element } from "../element.ts";
import { hasMark } from "../marks.ts";
import { channelPath, topicPath } from "../narrow-urls.ts";
import { channelLinkPattern, messageLinkPattern, topicLinkPattern } from "./mention-syntax.ts";
import type { InlineParser, InlineRule } from "./parser.ts";
import { pattern } from "./pattern.ts";

/** `#**channel>topic@message**`. */
export const messageLinkRule: InlineRule = pattern(
  "#**",
  messageLinkPattern,
  ([, name = "", topic = "", id], inline) => {
    const channel = inline.state.inputs.channelByName(name);
    // A topic with a mark contains markup that has been parsed already, so its name is unknown.
    if (!channel || hasMark(topic)) return undefined;
    const href = `/${topicPath(channel.id, channel.name, topic)}/near/${id}`;
    return topicElement(inline, { class: "message-link", href }, channel.name, topic, " @ 💬");
  },
);

/** `#**channel>topic**`: the URL contains the topic's latest message, so that the link survives a move of the topic. */
export const topicLinkRule: InlineRule = pattern("#**", topicLinkPattern, ([, name = "", topic = ""], inline) => {
  const { inputs } = inline.state;
  const channel = inputs.channelByName(name);
  // As in a message link.
  if (!channel || hasMark(topic)) return undefined;
  const latestId = inputs.latestMessageIdInTopic(channel.id, topic);
  const path = topicPath(channel.id, channel.name, topic);
  return topicElement(
    inline,
    {
      class: "stream-topic",
      "data-stream-id": String(channel.id),
      href: `/${path}${latestId === undefined ? "" : `/with/${latestId}`}`,
    },
    channel.name,
    topic,
    "",
  );
});

/** `#**channel**`. */
export const channelLinkRule: InlineRule = pattern("#**", channelLinkPattern, ([, name = ""], inline) => {
  const channel = inline.state.inputs.channelByName(name);
  if (!channel) return undefined;
  const href = `/${channelPath(channel.id, channel.name)}`;
  return atomicElement(
    inline.state.budget,
    "a",
    { class: "stream", "data-stream-id": String(channel.id), href },
    `#${channel.name}`,
  );
});

function topicElement(
  inline: InlineParser,
  attributes: Record<string, string>,
  channel: string,
  topic: string,
  suffix: string,
): Element {
  const { budget } = inline.state;
  if (topic !== "") return atomicElement(budget, "a", attributes, `#${channel} > ${topic}${suffix}`);
  const link = atomicElement(budget, "a", attributes, `#${channel} > `);
  const name = atomicElement(budget, "em", {}, inline.state.inputs.emptyTopicDisplayName);
  name.tail = suffix;
  link.children.push(name);
  return link;
}
