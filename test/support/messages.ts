import type { Channel } from "../../shared/store/channels/channels.ts";
import { eventually } from "./waiting.ts";
import type { Person } from "./world.ts";

/** Sends and fetches messages. */

export async function sendToChannel(
  sender: Person,
  channel: Channel,
  topic: string,
  content = "text",
): Promise<number> {
  const reply = await sender.call("POST", "/messages", { type: "channel", to: channel.id, topic, content });
  if (reply.status !== 200) throw new Error(reply.body.msg);
  return reply.body.id;
}

export async function sendDirect(sender: Person, recipients: readonly Person[], content = "text"): Promise<number> {
  const to = recipients.map(({ id }) => id);
  const reply = await sender.call("POST", "/messages", { type: "direct", to, content });
  if (reply.status !== 200) throw new Error(reply.body.msg);
  return reply.body.id;
}

/** Fetches a message; undefined if the reader may not read it or it does not exist. `options` are query parameters. */
export async function fetchMessage(
  reader: Person,
  id: number,
  channel?: Channel,
  options: Record<string, unknown> = {},
) {
  const narrow = channel ? [{ operator: "channel", operand: channel.id }] : [];
  const range = { anchor: String(id), num_before: 0, num_after: 0, narrow };
  const { body } = await reader.call("GET", "/messages", { ...range, apply_markdown: false, ...options });
  return body.messages?.[0];
}

/** The messages of a channel's topic as the reader sees them, oldest first. */
export async function fetchTopic(reader: Person, channel: Channel, topic: string) {
  const narrow = [
    { operator: "channel", operand: channel.id },
    { operator: "topic", operand: topic },
  ];
  const range = {
    anchor: "newest",
    num_before: 5000,
    num_after: 0,
    apply_markdown: false,
    allow_empty_topic_name: true,
  };
  return (await reader.call("GET", "/messages", { ...range, narrow })).body.messages as any[];
}

/** Waits until a person has `count` direct messages; returns their contents, oldest first. */
export const noticesTo = (person: Person, count: number): Promise<string[]> =>
  eventually(async () => {
    const narrow = [{ operator: "is", operand: "dm" }];
    const params = { anchor: "newest", num_before: 50, num_after: 0, apply_markdown: false, narrow };
    const { messages } = (await person.call("GET", "/messages", params)).body;
    return messages.length >= count && messages.map(({ content }: { content: string }) => content);
  });
