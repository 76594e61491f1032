import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { aChannel, aPerson, call, costTest, isLocal } from "../support/world.ts";
import { anIntegration, dearerThan, deliver, directMessagesTo } from "./deliveries.ts";

/** What all integrations have in common, shown by `json` and `slack_incoming`. */

const slack = (text: string) => ({ text });

test("a delivery is posted to the channel, by ID or by name, in the URL's topic", async () => {
  const { bot, channel, post, messages } = await anIntegration("slack_incoming");

  expect((await post(slack("by ID"))).body).toEqual({ result: "success", msg: "" });
  expect((await post(slack("by name"), { query: { stream: channel.name, topic: "builds" } })).status).toBe(200);

  expect(await messages()).toEqual([
    { topic: "Message from Slack", content: "by ID" },
    { topic: "builds", content: "by name" },
  ]);
  expect((await bot.call("POST", "/external/json", {}, { body: "{}" })).status).toBe(200);
});

test("without a channel, the bot's owner gets a direct message", async () => {
  const { owner, bot } = await anIntegration("json");

  expect((await deliver("json", { api_key: bot.apiKey }, { a: [1] })).status).toBe(200);

  const content = '```json\n{\n  "a": [\n    1\n  ]\n}\n```';
  expect(await directMessagesTo(owner)).toEqual([{ sender: "Robot", content }]);
});

test("a message that is posted without the integration's topic begins with it", async () => {
  const { owner, bot, post, messages } = await anIntegration("zapier");
  const build = { topic: "*Build* 5", content: "It failed." };

  await post(build);
  await post(build, { query: { topic: "builds" } });
  await post(build, { query: { topic: "*build* 5" } });
  await post({ ...build, topic: "x".repeat(61) });
  const { id: general } = await aChannel("general", [owner], { topicsPolicy: "empty_topic_only" });
  await post(build, { query: { stream: String(general) } });
  await deliver("zapier", { api_key: bot.apiKey }, build);

  const first = "**&#x2a;Build&#x2a; 5**\n\nIt failed.";
  expect(await messages()).toEqual([
    { topic: "*Build* 5", content: "It failed." },
    { topic: "builds", content: first },
    { topic: "*build* 5", content: "It failed." },
    { topic: `${"x".repeat(57)}...`, content: `**${"x".repeat(61)}**\n\nIt failed.` },
  ]);
  const narrow = [{ operator: "channel", operand: general }];
  const inGeneral = await owner.do("GET", "/messages", {
    anchor: "newest",
    num_before: 1,
    num_after: 0,
    narrow,
    apply_markdown: false,
    allow_empty_topic_name: true,
  });
  expect(inGeneral.messages).toMatchObject([{ subject: "", content: first }]);
  expect(await directMessagesTo(owner)).toEqual([{ sender: "Robot", content: first }]);
});

test("a wrong key, a person's key, a missing key and the key before the current one are refused", async () => {
  const { owner, bot } = await anIntegration("json");
  const person = await aPerson("Caliban");
  const statusWith = async (query: Record<string, string>) => (await deliver("json", query, {})).status;

  expect(await statusWith({ api_key: bot.apiKey })).toBe(200);
  const { api_key } = await owner.do("POST", `/bots/${bot.id}/api_key/regenerate`);

  expect(await statusWith({ api_key })).toBe(200);
  expect(await statusWith({ api_key: bot.apiKey })).toBe(401);
  expect(await statusWith({ api_key: person.apiKey })).toBe(401);
  expect(await statusWith({ api_key: "x" })).toBe(401);
  expect(await statusWith({})).toBe(401);
  await owner.do("DELETE", `/bots/${bot.id}`);
  expect((await deliver("json", { api_key }, {})).body.msg).toBe("Account is deactivated");
});

test("a key in the query is accepted by no other endpoint", async () => {
  const { bot } = await anIntegration("json");

  expect((await call("GET", `/users/me?api_key=${bot.apiKey}`)).status).toBe(401);
  expect(
    (await call("POST", `/messages?api_key=${bot.apiKey}`, { type: "direct", to: "[1]", content: "a" })).status,
  ).toBe(401);
});

test("the owner is told once about payloads that cannot be read", async () => {
  const { owner, post } = await anIntegration("slack_incoming");

  for (const payload of ["{", "[]", {}, "text=", "\u0000"])
    expect((await post(payload)).body).toMatchObject({
      code: "BAD_REQUEST",
      msg: expect.stringContaining("cannot be read"),
    });

  const notices = await directMessagesTo(owner);
  expect(notices).toHaveLength(1);
  expect(notices[0]?.sender).toBe("Notification Bot");
  expect(notices[0]?.content).toContain(
    "received a request from Slack-compatible webhook that cannot be read: it is not JSON.",
  );
});

test("for a channel that does not exist, the service gets a success and the owner is told once", async () => {
  const { owner, post } = await anIntegration("json");
  const toMissing = { query: { stream: "no such channel" } };

  expect((await post({}, toMissing)).status).toBe(200);
  expect((await post({}, toMissing)).status).toBe(200);

  const notices = await directMessagesTo(owner);
  expect(notices.map(({ content }) => content)).toEqual([
    expect.stringContaining("could not post a message from JSON: Channel 'no such channel' does not exist."),
  ]);
});

test("a bot posts only where it may", async () => {
  const { post } = await anIntegration("json");
  const closet = await aChannel("closet", [await aPerson("Miranda")], { inviteOnly: true });

  const refused = await post({}, { query: { stream: String(closet.id) } });

  expect(refused).toMatchObject({ status: 400, body: { msg: expect.stringContaining("Not authorized to send") } });
});

test("an unknown integration is a 404, also if its name is a path", async () => {
  const { bot } = await anIntegration("json");

  // API Gateway decodes a slash, and then has no route.
  const paths = isLocal() ? ["..%2Fload", "..%2F..%2Fhost"] : [];
  for (const name of ["nothing", "json.ts", "constructor", ...paths])
    expect((await deliver(name, { api_key: bot.apiKey }, {})).status).toBe(404);
});

test("a body of up to 1 MB is read, a larger one is refused", async () => {
  const { post, messages } = await anIntegration("json");

  expect((await post({ text: "a".repeat(1024 * 1024 - 20) })).status).toBe(200);
  expect((await post({ text: "a".repeat(1024 * 1024) })).status).toBe(413);

  const [long, ...others] = await messages();
  expect(others).toEqual([]);
  expect(long?.content).toMatch(/^```json\n.*\[…\]\n```$/s);
});

test("a text from outside mentions nobody, ends no fence, and is no command", async () => {
  const { owner, posted, messages } = await anIntegration("slack_incoming");
  const mentions = `@**all** @**everyone** @**channel** @**topic** @**Prospero|${owner.id}** @*role:everyone* @_**all**`;

  await posted(slack(mentions));
  await posted(slack("/poll Who?\nme"));
  const json = await anIntegration("json");
  await json.posted({ a: "```\n@**all**\n`````\n" });

  const rendered = (await messages(true)).map(({ content }) => content).join("\n");
  expect(rendered).not.toMatch(/user-mention|topic-mention|user-group-mention/);
  expect(rendered).toContain("/poll Who?");
  const { messages: flagged } = await owner.do("GET", "/messages", {
    ...{ anchor: "newest", num_before: 10, num_after: 0 },
    narrow: [{ operator: "is", operand: "mentioned" }],
  });
  expect(flagged).toEqual([]);
  const [code] = await json.messages(true);
  expect(code?.content).toMatch(/^<div class="codehilite"[^>]*>(?:(?!<\/pre>).)*<\/pre><\/div>$/s);
});

test("a topic keeps no characters that topics cannot have, and is cut", async () => {
  const { posted } = await anIntegration("slack_incoming");
  const topicOf = async (topic: string) => (await posted(slack("a"), { query: { topic } }))?.topic;

  expect(await topicOf("a\u0000b\n c")).toBe("a b c");
  expect(await topicOf("𠀀".repeat(100))).toBe(`${"𠀀".repeat(57)}...`);
  expect(await topicOf(" ")).toBe("Message from Slack");
});

test("a channel that only has the empty topic gets everything there", async () => {
  const { owner, bot } = await anIntegration("json");
  const hall = await aChannel("hall", [owner], { topicsPolicy: "empty_topic_only" });

  expect((await deliver("json", { api_key: bot.apiKey, stream: String(hall.id), topic: "x" }, {})).status).toBe(200);
});

costTest("a delivery to a channel takes 5 stages, and 2 read units more than a message", async () => {
  const { bot, channel, post } = await anIntegration("slack_incoming");
  const to = { type: "channel", to: channel.id, topic: "a" };
  await post(slack("warm up"));
  await bot.call("POST", "/messages", { ...to, content: "warm up" });

  const message = await bot.call("POST", "/messages", { ...to, content: "text" });
  const delivery = await post(slack("text"));

  expect(delivery.cost.stages).toBeLessThanOrEqual(5);
  expect(delivery.cost.writeUnits).toBe(message.cost.writeUnits);
  expect(delivery.cost.readUnits - message.cost.readUnits).toBeLessThanOrEqual(2);
});

costTest("a signed delivery with an ID takes 5 stages, and 3 units more than a message", async () => {
  const { owner, bot, channel, post } = await anIntegration("github");
  await owner.do("PATCH", `/bots/${bot.id}`, { config_data: { webhook_secret: "s3cret" } });
  const body = JSON.stringify({ action: "created", sender: { login: "Ariel" }, repository: { name: "isle" } });
  const signature = `sha256=${createHmac("sha256", "s3cret").update(body).digest("hex")}`;
  const deliverStar = (id: string) =>
    post(body, { headers: { "x-github-event": "star", "x-hub-signature-256": signature, "x-github-delivery": id } });
  const to = { type: "channel", to: channel.id, topic: "isle" };
  await deliverStar("warm up");
  await bot.call("POST", "/messages", { ...to, content: "warm up" });

  const { stages, units } = await dearerThan(
    () => bot.call("POST", "/messages", { ...to, content: "a" }),
    (round) => deliverStar(String(round)),
  );

  expect(stages).toBeLessThanOrEqual(5);
  expect(units).toBeLessThanOrEqual(3);
});
