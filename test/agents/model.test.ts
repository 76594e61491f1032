import { expect, test } from "vitest";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { send } from "../support/http.ts";
import { sendDirect, sendToChannel } from "../support/messages.ts";
import { randomFrom, seed } from "../support/random.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/**
 * What `/mcp` gives is what the API gives the key's owner, cut to the key's scopes: for random people, keys and calls. Each call is also
 * made to the API, as the owner.
 */

interface Scopes {
  channel_ids?: number[];
  direct_messages: boolean;
  can_write: boolean;
  write_channel_ids?: number[];
  write_direct_messages: boolean;
  may_mention: boolean;
}

/** What came of a call: what was read or done, or that it was refused. */
type Outcome = { isRefused: true } | { found: unknown };
const refused: Outcome = { isRefused: true };

const calls = 120;

test(`random calls with keys of random scopes (SKEIN_SEED=${seed})`, async () => {
  const random = randomFrom(seed);
  const chance = (probability: number) => random() < probability;
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const some = <T>(items: readonly T[]): T[] => items.filter(() => chance(0.5));

  const people = [await aPerson("Oberon"), await aPerson("Titania"), await aPerson("Puck")] as const;
  const [oberon, titania, puck] = people;
  const grove = await aChannel("grove", [oberon, titania]);
  const bower = await aChannel("bower", [titania], { inviteOnly: true });
  const hunt = await aChannel("hunt", [oberon, puck], { inviteOnly: true });
  const channels: readonly Channel[] = [grove, bower, hunt];
  const topics = ["juice", "moon"];
  const messageIds: number[] = [];
  for (const channel of channels)
    for (const topic of topics)
      for (const author of people) {
        const written = { type: "channel", to: channel.id, topic, content: `A flower in ${channel.name}` };
        const { body } = await author.call("POST", "/messages", written);
        if (body.result === "success") messageIds.push(body.id);
      }
  messageIds.push(await sendDirect(titania, [oberon], "A flower for you"));
  messageIds.push(await sendDirect(puck, [oberon], "The flower is here"));
  messageIds.push(await sendToChannel(puck, grove, "juice", "A last flower"));

  const keyOf = async (owner: Person) => {
    const readable = (await owner.do("GET", "/streams", { include_can_access_content: true })).streams
      .map(({ stream_id: id }: { stream_id: number }) => id)
      .filter((id: number) => channels.some((channel) => channel.id === id));
    const channelIds: number[] | undefined = chance(0.3) ? undefined : some(readable);
    const direct = chance(0.5);
    const scopes: Scopes = {
      ...(channelIds && { channel_ids: channelIds }),
      ...{ direct_messages: direct, can_write: chance(0.7), write_direct_messages: direct && chance(0.5) },
      ...(chance(0.5) && { write_channel_ids: some(channelIds ?? readable) }),
      may_mention: chance(0.5),
    };
    const { key } = await owner.do("POST", "/agent_keys", { name: "Fairy", ...scopes });
    return { owner, scopes, key: key as string };
  };
  const keys = [];
  for (const owner of people) for (let count = 0; count < 4; count++) keys.push(await keyOf(owner));

  let marker = 0;
  for (let count = 0; count < calls; count++) {
    const { owner, scopes, key } = pick(keys);
    const channel = pick(channels);
    const topic = pick(topics);
    const others = some(people)
      .filter((person) => person.id !== owner.id)
      .map(({ id }) => id);
    const mayRead = (id: number) => scopes.channel_ids?.includes(id) ?? true;
    const mayWrite = (id: number) =>
      scopes.can_write && mayRead(id) && (scopes.write_channel_ids?.includes(id) ?? true);
    const mayWriteDirectly = scopes.can_write && scopes.direct_messages && scopes.write_direct_messages;

    const asAgent = async (name: string, sent: object): Promise<{ isError?: boolean; text: string }> => {
      const frame = { jsonrpc: "2.0", id: count, method: "tools/call", params: { name, arguments: sent } };
      const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
      const { result } = (await send("POST", "/mcp", JSON.stringify(frame), { headers })).body;
      return { ...result, text: result.content[0].text };
    };
    const reading = async (name: string, sent: object): Promise<Outcome> => {
      const { isError, text } = await asAgent(name, sent);
      const ids = [...text.matchAll(/, message (\d+): http/g)].map(([, id]) => Number(id));
      return isError ? refused : { found: ids };
    };
    const doing = async (name: string, sent: object): Promise<Outcome> =>
      (await asAgent(name, sent)).isError ? refused : { found: "done" };
    const asOwner = async (method: string, path: string, params: Record<string, unknown>): Promise<any> => {
      const { body } = await owner.call(method, path, params);
      return body.result === "success" ? body : undefined;
    };
    const idsOfOwner = async (narrow: object[], anchor = "newest"): Promise<Outcome> => {
      const range = anchor === "newest" ? { num_before: 100, num_after: 0 } : { num_before: 0, num_after: 100 };
      const body = await asOwner("GET", "/messages", { narrow, anchor, ...range });
      return body ? { found: body.messages.map(({ id }: { id: number }) => id) } : refused;
    };
    const inChannel = { operator: "channel", operand: channel.id };
    const scopedNarrow = [
      ...(scopes.channel_ids ? [inChannel] : []),
      ...(scopes.direct_messages ? [] : [{ operator: "is", operand: "dm", negated: true }]),
    ];
    const scopedChannel = scopes.channel_ids ? { channel_id: channel.id } : {};

    const kinds: Record<string, () => Promise<[agent: Outcome, expected: Outcome]>> = {
      list_channels: async () => {
        const { text } = await asAgent("list_channels", { name_contains: channel.name });
        const { streams } = await asOwner("GET", "/streams", { include_can_access_content: true });
        const expected = streams.filter(({ stream_id: id }: any) => id === channel.id && mayRead(id));
        return [{ found: text.includes(`"id":${channel.id},`) }, { found: expected.length === 1 }];
      },
      list_topics: async () => {
        const { isError, text } = await asAgent("list_topics", { channel_id: channel.id });
        const found = [...text.matchAll(/"newest_message":(\d+)/g)].map(([, id]) => Number(id));
        const body = mayRead(channel.id) ? await asOwner("GET", `/users/me/${channel.id}/topics`, {}) : undefined;
        const expected = body?.topics.map(({ max_id: id }: { max_id: number }) => id);
        return [isError ? refused : { found }, body ? { found: expected } : refused];
      },
      read_channel: async () => [
        await reading("read_conversation", { channel_id: channel.id, topic, num_before: 100 }),
        mayRead(channel.id) ? await idsOfOwner([inChannel, { operator: "topic", operand: topic }]) : refused,
      ],
      read_direct: async () => [
        await reading("read_conversation", { user_ids: others, num_before: 100 }),
        scopes.direct_messages ? await idsOfOwner([{ operator: "dm", operand: others }]) : refused,
      ],
      search: async () => [
        await reading("search_messages", { query: "flower", limit: 100, ...scopedChannel }),
        scopes.channel_ids && !mayRead(channel.id)
          ? refused
          : await idsOfOwner([...scopedNarrow, { operator: "search", operand: "flower" }]),
      ],
      read_unread: async () => [
        await reading("read_unread", { limit: 100, ...scopedChannel }),
        scopes.channel_ids && !mayRead(channel.id)
          ? refused
          : await idsOfOwner([...scopedNarrow, { operator: "is", operand: "unread" }], "oldest"),
      ],
      send_to_channel: async () => {
        const mentions = chance(0.3);
        const content = mentions ? `@**|${pick(people).id}** flower` : "Another flower";
        const agent = await doing("send_message", { channel_id: channel.id, topic, content });
        if (!mayWrite(channel.id) || (mentions && !scopes.may_mention)) return [agent, refused];
        const body = await asOwner("POST", "/messages", { type: "channel", to: channel.id, topic, content });
        return [agent, body ? { found: "done" } : refused];
      },
      send_directly: async () => {
        const agent = await doing("send_message", { user_ids: others, content: "A flower" });
        if (!mayWriteDirectly) return [agent, refused];
        const body = await asOwner("POST", "/messages", { type: "direct", to: others, content: "A flower" });
        return [agent, body ? { found: "done" } : refused];
      },
      react: async () => {
        const message_id = pick(messageIds);
        const message = (await asOwner("GET", `/messages/${message_id}`, {}))?.message;
        const isInScope = message?.stream_id === undefined ? mayWriteDirectly : mayWrite(message.stream_id);
        const agent = await doing("add_reaction", { message_id, emoji_name: "sunflower" });
        // The owner gives the reaction back, so that the next one is new.
        const removed = await asOwner("DELETE", `/messages/${message_id}/reactions`, { emoji_name: "sunflower" });
        expect(removed !== undefined).toBe("found" in agent);
        return [agent, message && isInScope ? { found: "done" } : refused];
      },
      follow: async () => {
        const agent = await doing("set_topic_policy", { channel_id: channel.id, topic, policy: "followed" });
        if (!mayWrite(channel.id)) return [agent, refused];
        const policy = { stream_id: channel.id, topic, visibility_policy: 3 };
        return [agent, (await asOwner("POST", "/user_topics", policy)) ? { found: "done" } : refused];
      },
      edit: async () => {
        marker += 1;
        const content = `Edited flower ${marker}`;
        const message_id = pick(messageIds);
        // None of these messages was sent by an agent.
        return [await doing("edit_message", { message_id, content }), refused];
      },
    };
    const kind = pick(Object.keys(kinds));
    const [agent, expected] = await (kinds[kind] as (typeof kinds)[string])();

    const what = `call ${count}: ${kind} by ${owner.name} in ${channel.name}/${topic} with ${others}, ${JSON.stringify(scopes)}`;
    expect(agent, what).toEqual(expected);
  }
});
