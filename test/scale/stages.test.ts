import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { aPrivateHost } from "../support/hosts/private-host.ts";
import { sendToChannel } from "../support/messages.ts";
import { aHistory } from "../support/table/seeding.ts";
import { useTarget } from "../support/target.ts";
import { unique } from "../support/unique.ts";
import { inSeconds, untilNothingIsRecent } from "../support/waiting.ts";
import { aChannel, aPerson, type Person, reportsCosts } from "../support/world.ts";

const slowTableModule = fileURLToPath(new URL("../support/hosts/slow-table.ts", import.meta.url));

/**
 * The maximum number of sequential calls to the table, which determines a request's duration on AWS. The middle of three runs counts,
 * because one of them may meet a background job that writes the same item.
 */
const budgets: Record<string, number> = {
  authenticate: 2,
  register: 5,
  send: 4,
  "send directly": 4,
  "fetch a channel": 3,
  "fetch a channel by name": 3,
  "fetch a topic": 3,
  "fetch a conversation": 3,
  "fetch from the first unread message": 5,
  "fetch one message": 2,
  "fetch the combined feed": 5,
  "fetch direct messages": 3,
  "mark as read": 4,
  react: 4,
  edit: 4,
  delete: 4,
  star: 4,
  type: 4,
  // One is the check of how many the caller has.
  schedule: 5,
  render: 1,
  "render names": 2,
  "come online": 4,
  subscribe: 6,
  "create a channel": 6,
  "list topics": 4,
};

// On a private host, whose log is new: near the end of a log partition, a request would read the next one too.
test.skipIf(!reportsCosts())("common requests stay within their number of sequential stages", async () => {
  const host = await aPrivateHost({}, undefined, ["--import", slowTableModule]);
  onTestFinished(() => host.stop());
  useTarget(host);
  const [rosalind, celia] = [await aPerson("Rosalind"), await aPerson("Celia")];
  const newcomers = await Promise.all(["Phebe", "Audrey", "Corin"].map((name) => aPerson(name)));
  const arden = await aChannel("arden", [rosalind, celia]);
  const glades = await Promise.all(["first", "second", "third"].map((name) => aChannel(name, [celia])));
  const ids = [
    await sendToChannel(rosalind, arden, "trees"),
    await sendToChannel(rosalind, arden, "trees"),
    await sendToChannel(celia, arden, "trees"),
  ];
  await rosalind.do("POST", "/messages", { type: "direct", to: [celia.id], content: "coz" });
  const idsToDelete = [
    await sendToChannel(rosalind, arden, "trees"),
    await sendToChannel(rosalind, arden, "trees"),
    await sendToChannel(rosalind, arden, "trees"),
  ];
  const narrow = { operator: "channel", operand: arden.id };
  const fetch = (terms: unknown[]) => ({ anchor: "newest", num_before: 100, num_after: 0, narrow: terms });
  const destination = { type: "channel", to: arden.id, topic: "trees" };
  const requests: Record<string, (n: number) => Parameters<typeof rosalind.call>> = {
    authenticate: () => ["GET", "/users/me"],
    register: () => ["POST", "/register"],
    "fetch a channel": () => ["GET", "/messages", fetch([narrow])],
    "fetch a channel by name": () => ["GET", "/messages", fetch([{ ...narrow, operand: arden.name }])],
    "fetch a topic": () => ["GET", "/messages", fetch([narrow, { operator: "topic", operand: "trees" }])],
    "fetch a conversation": () => ["GET", "/messages", fetch([{ operator: "dm", operand: [celia.id] }])],
    "fetch from the first unread message": () => ["GET", "/messages", { ...fetch([narrow]), anchor: "first_unread" }],
    "fetch one message": (n) => ["GET", `/messages/${ids[n]}`],
    "fetch the combined feed": () => ["GET", "/messages", fetch([])],
    "fetch direct messages": () => ["GET", "/messages", fetch([{ operator: "is", operand: "dm" }])],
    "list topics": () => ["GET", `/users/me/${arden.id}/topics`],
    render: () => ["POST", "/messages/render", { content: "under the *greenwood* tree" }],
    "render names": () => ["POST", "/messages/render", { content: `@**${celia.name}** is in #**${arden.name}**` }],
    schedule: () => [
      "POST",
      "/scheduled_messages",
      { ...destination, content: "x", scheduled_delivery_timestamp: inSeconds(3600) },
    ],
    send: () => ["POST", "/messages", { ...destination, content: "as you like it" }],
    "send directly": () => ["POST", "/messages", { type: "direct", to: [celia.id], content: "coz" }],
    "mark as read": (n) => [
      "POST",
      "/messages/flags",
      { messages: [ids[n]], op: n === 1 ? "remove" : "add", flag: "read" },
    ],
    react: (n) => ["POST", `/messages/${ids[n]}/reactions`, { emoji_name: "heart" }],
    delete: (n) => ["DELETE", `/messages/${idsToDelete[n]}`],
    star: (n) => ["POST", "/messages/flags", { messages: [ids[n]], op: "add", flag: "starred" }],
    type: () => ["POST", "/typing", { type: "channel", op: "start", stream_id: arden.id, topic: "trees" }],
    "create a channel": () => ["POST", "/channels/create", { name: unique("glade"), subscribers: [rosalind.id] }],
    "come online": () => ["POST", "/users/me/presence", { status: "active" }],
    subscribe: (n) => ["POST", "/users/me/subscriptions", { subscriptions: [{ name: glades[n]?.name }] }],
    edit: (n) => ["PATCH", `/messages/${ids[n % 2]}`, { content: unique("verse") }],
  };
  // Unread messages, which registrations list.
  const court = await aChannel("court", [rosalind, celia]);
  await aHistory(300, { channel: court, senderId: () => celia.id });
  await sendToChannel(celia, court, "wrestling", `@**${rosalind.name}** a good wrestler`);
  await untilNothingIsRecent();

  const medians: Record<string, number | undefined> = {};
  for (const [name, request] of Object.entries(requests)) {
    const counts: number[] = [];
    for (const n of [0, 1, 2]) {
      const caller = name === "come online" ? (newcomers[n] as Person) : rosalind;
      const { status, body, cost } = await caller.call(...request(n));
      expect([name, status, body.msg]).toEqual([name, 200, ""]);
      counts.push(cost.stages);
    }
    medians[name] = counts.sort((a, b) => a - b)[1];
  }

  const exceeded = Object.entries(budgets).filter(
    ([name, budget]) => (medians[name] ?? Number.POSITIVE_INFINITY) > budget,
  );
  expect(exceeded, JSON.stringify(medians)).toEqual([]);
});
