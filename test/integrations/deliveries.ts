import { aBot } from "../support/people.ts";
import { aChannel, aPerson, call, type Person } from "../support/world.ts";

/** An incoming-webhook bot with its owner, and a channel to which services post as the bot. */
export async function anIntegration(name: string) {
  const owner = await aPerson("Prospero");
  const [bot, channel] = [await aBot(owner, 2), await aChannel("alerts", [owner])];
  const post = (payload: unknown, { query = {}, headers = {} }: Delivery = {}) =>
    deliver(name, { api_key: bot.apiKey, stream: String(channel.id), ...query }, payload, headers);
  const messages = async (apply_markdown = false, num_before = 100): Promise<Posted[]> => {
    const narrow = [{ operator: "channel", operand: channel.id }];
    const found = await owner.do("GET", "/messages", { ...newest, num_before, narrow, apply_markdown });
    return found.messages.map(({ subject: topic, content }: any) => ({ topic, content }));
  };
  /** What a delivery posted: the newest message. */
  const posted = async (payload: unknown, options?: Delivery): Promise<Posted | undefined> => {
    const before = (await messages()).length;
    const { status, body } = await post(payload, options);
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    const after = await messages();
    return after.length > before ? after.at(-1) : undefined;
  };
  return { owner, bot, channel, post, posted, messages };
}

export interface Posted {
  topic: string;
  content: string;
}

interface Delivery {
  query?: Record<string, string>;
  headers?: Record<string, string>;
}

const newest = { anchor: "newest", num_before: 100, num_after: 0 };

/** Sends a payload as a service does: JSON unless it is a text already. */
export const deliver = (
  name: string,
  query: Record<string, string>,
  payload: unknown,
  headers: Record<string, string> = {},
) =>
  call(
    "POST",
    `/external/${name}?${new URLSearchParams(query)}`,
    {},
    {
      body: typeof payload === "string" || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload),
      headers: { "content-type": "application/json", ...headers },
    },
  );

/** The direct messages that a person has received. */
export async function directMessagesTo(person: Person): Promise<{ sender: string; content: string }[]> {
  const { messages } = await person.do("GET", "/messages", {
    ...newest,
    narrow: [{ operator: "is", operand: "dm" }],
    apply_markdown: false,
  });
  return messages.map(({ sender_full_name: sender, content }: any) => ({ sender, content }));
}

/**
 * A delivery's stages, and its read and write units above those of a message: the least of three rounds, because near the end of a
 * partition of the log one of the two reads the next one too.
 */
export async function dearerThan(
  message: () => ReturnType<typeof deliver>,
  delivery: (round: number) => ReturnType<typeof deliver>,
): Promise<{ stages: number; units: number }> {
  const rounds = [];
  for (const round of [1, 2, 3]) {
    const [one, other] = [await message(), await delivery(round)];
    if (other.status !== 200) throw new Error(`${other.status} ${JSON.stringify(other.body)}`);
    const unitsOf = ({ cost }: typeof one) => cost.readUnits + cost.writeUnits;
    rounds.push({ stages: other.cost.stages, units: unitsOf(other) - unitsOf(one) });
  }
  return {
    stages: Math.min(...rounds.map(({ stages }) => stages)),
    units: Math.min(...rounds.map(({ units }) => units)),
  };
}
