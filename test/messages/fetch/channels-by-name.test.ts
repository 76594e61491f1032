import { expect, test } from "vitest";
import type { Channel } from "../../../shared/store/channels/channels.ts";
import { sendToChannel } from "../../support/messages.ts";
import { unique } from "../../support/unique.ts";
import { aChannel, aPerson, costTest, type Person } from "../../support/world.ts";

/** A fetch by a channel's name reads the messages before it is known whether, and since when, the caller may read them. */

const newest = { anchor: "newest", num_before: 50, num_after: 0 };
const fetchMessages = (person: Person, operand: string | number, topic?: string) =>
  person.call("GET", "/messages", {
    ...newest,
    narrow: [{ operator: "channel", operand }, ...(topic === undefined ? [] : [{ operator: "topic", operand: topic }])],
  });
const texts = ({ body }: { body: any }) => body.messages.map(({ content }: { content: string }) => content);

test("a channel and a topic have the same messages by name as by ID, immediately after each change", async () => {
  const [rosalind, celia] = await Promise.all([aPerson("Rosalind"), aPerson("Celia")]);
  const [arden, court] = await Promise.all([aChannel("arden", [rosalind, celia]), aChannel("court", [rosalind])]);
  const send = (text: string) => sendToChannel(rosalind, arden, "trees", text);
  const [edited, moved, deleted] = [await send("edited"), await send("moved"), await send("deleted")];
  const expectSame = async (expected: string[]) => {
    for (const topic of [undefined, "trees"]) {
      const [byName, byId] = [
        await fetchMessages(celia, ` ${arden.name.toUpperCase()}`, topic),
        await fetchMessages(celia, arden.id, topic),
      ];
      expect(texts(byName)).toEqual(expected.map((text) => `<p>${text}</p>`));
      expect(byName.body).toEqual(byId.body);
    }
  };

  await expectSame(["edited", "moved", "deleted"]);
  await rosalind.do("PATCH", `/messages/${edited}`, { content: "changed" });
  await rosalind.do("PATCH", `/messages/${moved}`, { stream_id: court.id, send_notification_to_new_thread: false });
  await expectSame(["changed", "deleted"]);
  await rosalind.do("DELETE", `/messages/${deleted}`);
  await send("newest");
  await expectSame(["changed", "newest"]);
});

test("a channel with a protected history shows by name only what its subscribers received, until it becomes public", async () => {
  const [orlando, adam, charles] = [await aPerson("Orlando"), await aPerson("Adam"), await aPerson("Charles")];
  const name = unique("orchard");
  const params = { name, subscribers: [orlando.id], invite_only: true, history_public_to_subscribers: false };
  const { body } = await orlando.call("POST", "/channels/create", params);
  const orchard = { id: body.id, name } as Channel;
  await sendToChannel(orlando, orchard, "inheritance", "before");
  await orlando.do("POST", "/users/me/subscriptions", { subscriptions: [{ name }], principals: [adam.id] });
  await sendToChannel(orlando, orchard, "inheritance", "after");

  // Twice, because the process learns from the first request that the history is protected.
  for (let n = 0; n < 2; n++) {
    expect(texts(await fetchMessages(orlando, name, "inheritance"))).toEqual(["<p>before</p>", "<p>after</p>"]);
    expect(texts(await fetchMessages(adam, name, "inheritance"))).toEqual(["<p>after</p>"]);
    expect((await fetchMessages(charles, name, "inheritance")).body).toMatchObject({ code: "BAD_NARROW" });
  }
  expect((await orlando.call("PATCH", `/streams/${orchard.id}`, { is_private: false })).body.msg).toBe("");
  for (let n = 0; n < 2; n++)
    expect(texts(await fetchMessages(charles, name, "inheritance"))).toEqual(["<p>before</p>", "<p>after</p>"]);
});

costTest("a history is not prefetched once the process knows that it is protected", async () => {
  const [duke, jaques] = await Promise.all([aPerson("Duke"), aPerson("Jaques")]);
  const cave = await aChannel("cave", [duke], { inviteOnly: true });
  for (let n = 0; n < 8; n++) await sendToChannel(duke, cave, "stages", "all the world's a stage ".repeat(200));
  await duke.do("POST", "/users/me/subscriptions", {
    subscriptions: [{ name: cave.name }],
    principals: [jaques.id],
  });
  const readUnitsOf = async (operand: string | number) => (await fetchMessages(jaques, operand)).cost.readUnits;

  await readUnitsOf(cave.name);
  const byId = await readUnitsOf(cave.id);

  expect(await readUnitsOf(cave.name)).toBeLessThanOrEqual(byId + 1);
});
