import { beforeAll, expect, test } from "vitest";
import { inSeconds } from "../../support/waiting.ts";
import { aChannel, aPerson, type Person } from "../../support/world.ts";

/** Messages within the length limit whose HTML exceeds the maximum size of a table item or of a reply. */

let sorcerer: Person;
const emoji = "😀".repeat(1450);
const formulas = "$$a$$ ".repeat(1400).trim();

beforeAll(async () => {
  sorcerer = await aPerson("Prospero");
});

test.each([
  ["emoji", emoji, /^<p>(<span [^>]*class="emoji emoji-1f600"[^>]*>[^<]*<\/span>){1450}<\/p>$/],
  ["formulas", formulas, /^<p>.{20000}/s],
])("a text of very many %s is sent, edited, read and reacted to", async (_, content, html) => {
  const cell = await aChannel("cell", [sorcerer]);
  const { body } = await sorcerer.call("POST", "/messages", { type: "channel", to: cell.id, topic: "t", content });

  const edited = await sorcerer.call("PATCH", `/messages/${body.id}`, { content: `${content} x` });
  const restored = await sorcerer.call("PATCH", `/messages/${body.id}`, { content });
  const reacted = await sorcerer.call("POST", `/messages/${body.id}/reactions`, { emoji_name: "tada" });

  expect([edited.status, restored.status, reacted.status]).toEqual([200, 200, 200]);
  const read = await sorcerer.call("GET", "/messages", { anchor: body.id, num_before: 0, num_after: 0 });
  expect(read.body.messages[0].content).toMatch(html);
  const history = await sorcerer.call("GET", `/messages/${body.id}/history`);
  expect(history.body.message_history).toHaveLength(3);
  expect(history.body.message_history[0].rendered_content).toMatch(html);
});

test("a message of as many elements as it may have can be scheduled too", async () => {
  const scheduled = {
    type: "direct",
    to: [sorcerer.id],
    content: emoji,
    scheduled_delivery_timestamp: inSeconds(3600),
  };

  expect((await sorcerer.call("POST", "/scheduled_messages", scheduled)).status).toBe(200);
  const { body } = await sorcerer.call("GET", "/scheduled_messages");
  expect(body.scheduled_messages[0].rendered_content.length).toBeGreaterThan(100_000);
});

test("a reply that cannot hold all messages omits those farthest from the anchor, and does not report that end as found", async () => {
  const cell = await aChannel("cell", [sorcerer]);
  const ids: number[] = [];
  for (let index = 0; index < 40; index++)
    ids.push(
      (await sorcerer.call("POST", "/messages", { type: "channel", to: cell.id, topic: "t", content: emoji })).body.id,
    );

  const { status, body } = await sorcerer.call("GET", "/messages", {
    anchor: "newest",
    num_before: 50,
    num_after: 0,
    narrow: [["channel", cell.name]],
  });

  expect(status).toBe(200);
  expect(JSON.stringify(body).length).toBeLessThan(6_000_000);
  expect(body).toMatchObject({ found_newest: true, found_oldest: false });
  const shownIds = body.messages.map(({ id }: { id: number }) => id);
  expect(shownIds).toEqual(ids.slice(-shownIds.length));
});

test("a message can mention many participants of one conversation", async () => {
  const people = await Promise.all(Array.from({ length: 70 }, (_, index) => aPerson(`Spirit ${index} of the isle`)));
  const mentions = people.slice(0, 20).map(({ name, id }) => `@**${name}|${id}**`);

  const sent = await sorcerer.call("POST", "/messages", {
    type: "direct",
    to: people.map(({ id }) => id),
    content: mentions.join(" "),
  });

  expect(sent.status).toBe(200);
  const newest = { anchor: "newest", num_before: 1, num_after: 0 };
  const [first, last] = [people[0] as Person, people.at(-1) as Person];
  expect((await first.call("GET", "/messages", newest)).body.messages[0].flags).toContain("mentioned");
  expect((await last.call("GET", "/messages", newest)).body.messages[0].flags).not.toContain("mentioned");
  expect(
    (await first.call("GET", "/messages", { ...newest, narrow: [["is", "mentioned"]] })).body.messages,
  ).toHaveLength(1);
});
