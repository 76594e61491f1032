import { beforeAll, expect, test } from "vitest";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { addFlags } from "../../shared/store/messages/message-flags.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import type { Reply } from "../support/http.ts";
import { aHistory, ordinaryText } from "../support/table/seeding.ts";
import { untilNothingIsRecent } from "../support/waiting.ts";
import { aChannel, aPerson, costTests, type Person, partitionEndReadUnits } from "../support/world.ts";

/**
 * Budgets in DynamoDB's request units, on a short history; test/scale/message-costs.test.ts uses
 * a long one.
 */

const messageCount = 2_400;
let henry: Person;
let exeter: Person;
let fluellen: Person;
let agincourt: Channel;
let history: { first: number; last: number };

/** The IDs of `count` messages of the history from the first one on, `step` apart. */
const every = (step: number, count: number) =>
  Array.from({ length: count }, (_, index) => history.first + index * step);
const newestHundred = { anchor: "newest", num_before: 100, num_after: 0 };
const fetchPage = (person: Person, narrow: unknown[], extra: Record<string, unknown> = {}) =>
  person.call("GET", "/messages", { ...newestHundred, narrow, ...extra });
/** Expects a successful reply with at most so many read and write units. */
const expectWithin = (reply: Reply, maxReads: number, maxWrites = 0) => {
  expect(reply.status).toBe(200);
  expect(reply.cost.readUnits).toBeLessThanOrEqual(maxReads + partitionEndReadUnits);
  expect(reply.cost.writeUnits).toBeLessThanOrEqual(maxWrites);
};

costTests("reading costs", () => {
  beforeAll(async () => {
    [henry, exeter, fluellen] = (await Promise.all(["Henry", "Exeter", "Fluellen"].map((name) => aPerson(name)))) as [
      Person,
      Person,
      Person,
    ];
    agincourt = await aChannel("agincourt", [henry, exeter, fluellen]);
    history = await aHistory(messageCount, {
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
    for (const batch of [mentions.slice(0, 50), mentions.slice(50)])
      await transact(batch.map((id) => addFlags(henry.id, id, ["mentioned"])));
    await untilNothingIsRecent();
  }, 600_000);

  test("fetching a hundred messages of a channel stays within its budget", async () => {
    const reply = await fetchPage(henry, [["channel", agincourt.name]]);

    expect(reply.body.messages).toHaveLength(100);
    expectWithin(reply, 15);
    expectWithin(
      await fetchPage(henry, [["channel", agincourt.name]], { anchor: history.first + Math.floor(messageCount / 2) }),
      15,
    );
  });

  test("fetching a hundred messages of a topic stays within its budget", async () => {
    const reply = await fetchPage(henry, [
      ["channel", agincourt.name],
      ["topic", "battle 3"],
    ]);

    expect(reply.body.messages).toHaveLength(100);
    expectWithin(reply, 15);
  });

  test("fetching a hundred messages of a sender stays within its budget", async () => {
    const reply = await fetchPage(henry, [{ operator: "sender", operand: fluellen.id }]);

    expect(reply.body.messages).toHaveLength(100);
    expectWithin(reply, 60);
  });

  test("fetching a hundred starred messages and marking a thousand as read stay within their budgets", async () => {
    const starred = await fetchPage(henry, [["is", "starred"]]);
    const marked = await henry.call("POST", "/messages/flags", { messages: every(1, 1000), op: "add", flag: "read" });
    const scattered = await exeter.call("POST", "/messages/flags", {
      messages: every(Math.floor(messageCount / 1000), 1000),
      op: "add",
      flag: "read",
    });

    expect(starred.body.messages).toHaveLength(100);
    expectWithin(starred, 61);
    expect(marked.body.messages).toHaveLength(1000);
    expectWithin(marked, 10, 20);
    expectWithin(scattered, 10, 20);
  });

  test("fetching a hundred mentions stays within its budget", async () => {
    const reply = await fetchPage(henry, [["is", "mentioned"]]);

    expect(reply.body.messages).toHaveLength(100);
    expectWithin(reply, 60);
  });

  test("fetching a hundred direct messages, of all conversations or of one, stays within its budget", {
    timeout: 60_000,
  }, async () => {
    await Promise.all(
      Array.from({ length: 100 }, () =>
        exeter.do("POST", "/messages", { type: "direct", to: [henry.id], content: ordinaryText }),
      ),
    );

    const [allConversations, oneConversation] = [
      await fetchPage(henry, [["is", "dm"]]),
      await fetchPage(henry, [{ operator: "dm", operand: [exeter.id] }]),
    ];

    expect([allConversations.body.messages.length, oneConversation.body.messages.length]).toEqual([100, 100]);
    expectWithin(allConversations, 61);
    expectWithin(oneConversation, 61);
  });

  test("finding the first unread message of an almost completely read history costs little more than finding the newest", async () => {
    const ids = Array.from({ length: messageCount - 100 }, (_, index) => history.first + index);
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
    const unread = await fetchPage(fluellen, narrow, { anchor: "first_unread", num_before: 50, num_after: 50 });

    expect(unread.body.anchor).toBe(history.first + messageCount - 100);
    expect(unread.body.messages).toHaveLength(101);
    const alone = { num_before: 0, num_after: 0 };
    const [first, last] = [
      await fetchPage(fluellen, narrow, { ...alone, anchor: "first_unread" }),
      await fetchPage(fluellen, narrow, { ...alone, anchor: "newest" }),
    ];
    expectWithin(first, last.cost.readUnits + 10);
  });
});
