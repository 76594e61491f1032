import { beforeAll, expect, test } from "vitest";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { addFlags } from "../../shared/store/messages/message-flags.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import type { Reply } from "../support/http.ts";
import { aHistory, ordinaryText } from "../support/table/seeding.ts";
import { untilNothingIsRecent } from "../support/waiting.ts";
import { aChannel, aPerson, costTests, type Person, partitionEndReadUnits } from "../support/world.ts";

/**
 * The budgets of docs/data-model.md in DynamoDB's request units, on a short history; test/scale/message-costs.test.ts uses
 * a long one.
 */

const length = 2_400;
let henry: Person;
let exeter: Person;
let fluellen: Person;
let agincourt: Channel;
let history: { first: number; last: number };

/** The IDs of some messages of the history, each `step` before the previous one. */
const every = (step: number, count: number) =>
  Array.from({ length: count }, (_, index) => history.first + index * step);
const hundred = { anchor: "newest", num_before: 100, num_after: 0 };
const ask = (person: Person, narrow: unknown[], extra: Record<string, unknown> = {}) =>
  person.call("GET", "/messages", { ...hundred, narrow, ...extra });
const within = (reply: Reply, reads: number, writes = 0) => {
  expect(reply.status).toBe(200);
  expect(reply.cost.readUnits).toBeLessThanOrEqual(reads + partitionEndReadUnits);
  expect(reply.cost.writeUnits).toBeLessThanOrEqual(writes);
};

costTests("reading costs", () => {
  beforeAll(async () => {
    [henry, exeter, fluellen] = (await Promise.all(["Henry", "Exeter", "Fluellen"].map((name) => aPerson(name)))) as [
      Person,
      Person,
      Person,
    ];
    agincourt = await aChannel("agincourt", [henry, exeter, fluellen]);
    history = await aHistory(length, {
      channel: agincourt,
      senderId: (position) => (position % 23 === 0 ? fluellen.id : exeter.id),
      topic: (position) => `battle ${position % 10}`,
      opening: (position) =>
        position < 2000 && position % 20 === 0
          ? `<span class="user-mention" data-user-id="${henry.id}">@Henry</span> `
          : "",
    });
    await henry.do("POST", "/messages/flags", { messages: every(20, 120), op: "add", flag: "starred" });
    const mentions = every(20, 100);
    for (const part of [mentions.slice(0, 50), mentions.slice(50)])
      await transact(part.map((id) => addFlags(henry.id, id, ["mentioned"])));
    await untilNothingIsRecent();
  }, 600_000);

  test("a hundred messages of a channel", async () => {
    const reply = await ask(henry, [["channel", agincourt.name]]);

    expect(reply.body.messages).toHaveLength(100);
    within(reply, 15);
    within(await ask(henry, [["channel", agincourt.name]], { anchor: history.first + Math.floor(length / 2) }), 15);
  });

  test("a hundred messages of a topic", async () => {
    const reply = await ask(henry, [
      ["channel", agincourt.name],
      ["topic", "battle 3"],
    ]);

    expect(reply.body.messages).toHaveLength(100);
    within(reply, 15);
  });

  test("a hundred messages of a sender", async () => {
    const reply = await ask(henry, [{ operator: "sender", operand: fluellen.id }]);

    expect(reply.body.messages).toHaveLength(100);
    within(reply, 60);
  });

  test("a hundred starred messages, and marking a thousand as read", async () => {
    const starred = await ask(henry, [["is", "starred"]]);
    const marked = await henry.call("POST", "/messages/flags", { messages: every(1, 1000), op: "add", flag: "read" });
    const scattered = await exeter.call("POST", "/messages/flags", {
      messages: every(Math.floor(length / 1000), 1000),
      op: "add",
      flag: "read",
    });

    expect(starred.body.messages).toHaveLength(100);
    within(starred, 61);
    expect(marked.body.messages).toHaveLength(1000);
    within(marked, 10, 20);
    within(scattered, 10, 20);
  });

  test("a hundred mentions", async () => {
    const reply = await ask(henry, [["is", "mentioned"]]);

    expect(reply.body.messages).toHaveLength(100);
    within(reply, 60);
  });

  test("a hundred direct messages, of all conversations and of one", { timeout: 60_000 }, async () => {
    await Promise.all(
      Array.from({ length: 100 }, () =>
        exeter.do("POST", "/messages", { type: "direct", to: [henry.id], content: ordinaryText }),
      ),
    );

    const [all, one] = [await ask(henry, [["is", "dm"]]), await ask(henry, [{ operator: "dm", operand: [exeter.id] }])];

    expect([all.body.messages.length, one.body.messages.length]).toEqual([100, 100]);
    within(all, 61);
    within(one, 61);
  });

  test("the first unread message of a long history that is almost completely read", async () => {
    const ids = Array.from({ length: length - 100 }, (_, index) => history.first + index);
    for (let start = 0; start < ids.length; start += 5000)
      await fluellen.do(
        "POST",
        "/messages/flags",
        {},
        {
          body: `op=add&flag=read&messages=${JSON.stringify(ids.slice(start, start + 5000))}`,
        },
      );
    const narrow = [["channel", agincourt.name]];
    const unread = await ask(fluellen, narrow, { anchor: "first_unread", num_before: 50, num_after: 50 });

    expect(unread.body.anchor).toBe(history.first + length - 100);
    expect(unread.body.messages).toHaveLength(101);
    const alone = { num_before: 0, num_after: 0 };
    const [first, last] = [
      await ask(fluellen, narrow, { ...alone, anchor: "first_unread" }),
      await ask(fluellen, narrow, { ...alone, anchor: "newest" }),
    ];
    within(first, last.cost.readUnits + 10);
  });
});
