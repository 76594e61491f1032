import { beforeAll, expect, test } from "vitest";
import { aChannel, aPerson, type Person } from "../../support/world.ts";

/** A client that got no reply to `POST /messages` repeats the request with the same `queue_id` and `local_id`. */

let [pistol, nym]: Person[] = [];
let channelId: number;

beforeAll(async () => {
  [pistol, nym] = [await aPerson("Pistol"), await aPerson("Nym")];
  channelId = (await aChannel("eastcheap", [pistol, nym])).id;
});

const send = async (sender: Person, fields: object) =>
  (await sender.do("POST", "/messages", { type: "channel", to: channelId, topic: "eastcheap", ...fields }))
    .id as number;

/** The IDs of the messages with a text that a reader sees. */
async function idsWith(reader: Person, text: string): Promise<number[]> {
  const { messages } = await reader.do("GET", "/messages", {
    anchor: "newest",
    num_before: 50,
    num_after: 0,
    apply_markdown: false,
  });
  return messages.filter(({ content }: { content: string }) => content === text).map(({ id }: { id: number }) => id);
}

test("a repeated request returns the ID of the first message and sends nothing", async () => {
  const message = { content: "Base is the slave that pays", queue_id: "pistols-queue", local_id: "1.01" };

  const first = await send(pistol as Person, message);
  const repeated = await send(pistol as Person, message);

  expect(repeated).toBe(first);
  expect(await idsWith(nym as Person, message.content)).toEqual([first]);
});

test("concurrent requests with one local ID send one message, also when they begin a conversation", async () => {
  const bardolph = await aPerson("Bardolph");
  const toBardolph = {
    type: "direct",
    to: [bardolph.id],
    content: "I'll make you friends",
    queue_id: "q",
    local_id: "2.01",
  };

  const ids = await Promise.all([1, 2, 3].map(() => send(nym as Person, toBardolph)));

  expect(new Set(ids).size).toBe(1);
  expect(await idsWith(bardolph, toBardolph.content)).toEqual([ids[0]]);
});

test("the same local ID of another queue or sender, or without a queue, is another message", async () => {
  const content = "Men may sleep";
  const ids = [
    await send(nym as Person, { content, queue_id: "a", local_id: "3.01" }),
    await send(nym as Person, { content, queue_id: "b", local_id: "3.01" }),
    await send(pistol as Person, { content, queue_id: "a", local_id: "3.01" }),
    await send(nym as Person, { content, local_id: "3.01" }),
    await send(nym as Person, { content, local_id: "3.01" }),
  ];

  expect(new Set(ids).size).toBe(ids.length);
  expect(await idsWith(pistol as Person, content)).toEqual(ids);
});
