/** Requests that people begin with a click in their assistant. They contain nothing that others have written: the assistant reads that by tools. */

interface Prompt {
  name: string;
  title: string;
  description: string;
  arguments: readonly { name: string; description: string; required: boolean }[];
  text: (given: Record<string, string>) => string;
}

const conversation = [
  { name: "channel", description: "The name of the channel.", required: true },
  { name: "topic", description: "The name of the topic.", required: true },
];

const prompts: readonly Prompt[] = [
  {
    name: "what_did_i_miss",
    title: "What did I miss?",
    description: "Summarizes the messages that are unread.",
    arguments: [{ name: "channel", description: "The name of a channel; by default, all channels.", required: false }],
    text: ({ channel }) =>
      `Tell me what I have missed${channel === undefined ? "" : ` in the channel ${quoted(channel)}`}. Read the unread messages with read_unread${channel === undefined ? ", by channel if it asks for one" : " and the channel's ID from list_channels"}. Say first what I have been asked or have to decide, then what else has happened, by conversation, with links to the messages.`,
  },
  {
    name: "summarize_topic",
    title: "Summarize this topic",
    description: "Summarizes a topic: what was decided, what is open, and who does what.",
    arguments: conversation,
    text: ({ channel = "", topic = "" }) =>
      `Summarize the topic ${quoted(topic)} in the channel ${quoted(channel)}. Find the channel's ID with list_channels, and read the topic with read_conversation, as far back as it matters. Say what was decided, what is open and who does what, with links to the messages.`,
  },
  {
    name: "draft_reply",
    title: "Draft a reply",
    description: "Writes a reply to a topic without sending it.",
    arguments: [...conversation, { name: "intent", description: "What the reply is to say.", required: false }],
    text: ({ channel = "", topic = "", intent }) =>
      `Draft my reply to the topic ${quoted(topic)} in the channel ${quoted(channel)}. Find the channel's ID with list_channels, and read the topic with read_conversation. ${intent === undefined ? "" : `The reply is to say: ${quoted(intent)}. `}Write in the language and the tone of the conversation, and as short as its messages. Show me the draft, and do not send it.`,
  },
];

const quoted = (text: string) => JSON.stringify(text);

export const describePrompts = (): object[] => prompts.map(({ text: _, ...described }) => described);

const maxArgumentLength = 1000;

/** The messages of a prompt; undefined if there is none of the name, or its arguments are wrong. */
export function promptOf(name: unknown, sent: Record<string, unknown>): object | undefined {
  const found = prompts.find((one) => one.name === name);
  if (!found) return undefined;
  const given: Record<string, string> = {};
  for (const { name: argument, required } of found.arguments) {
    const value = sent[argument];
    if (value === undefined && !required) continue;
    if (typeof value !== "string" || value.trim() === "" || value.length > maxArgumentLength) return undefined;
    given[argument] = value;
  }
  const text = found.text(given);
  return { description: found.description, messages: [{ role: "user", content: { type: "text", text } }] };
}
