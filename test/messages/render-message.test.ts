import { beforeAll, expect, test } from "vitest";
import { aChannel, aPerson, call, localTest, type Person } from "../support/world.ts";

let hamlet: Person;
beforeAll(async () => {
  hamlet = await aPerson("Hamlet");
});

const render = async (content: string, author = hamlet) =>
  (await author.call("POST", "/messages/render", { content })).body.rendered;

test.each([
  ["**bold** and *italic*", "<p><strong>bold</strong> and <em>italic</em></p>"],
  ["one\ntwo\n\nthree", "<p>one<br>\ntwo</p>\n<p>three</p>"],
  ["<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"],
  ["[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"],
  [":tada:", '<p><span aria-label="tada" class="emoji emoji-1f389" role="img" title="tada">:tada:</span></p>'],
  ["@**Nobody At All**", "<p>@<strong>Nobody At All</strong></p>"],
])("%j is rendered as %j", async (content, html) => {
  expect(await render(content)).toBe(html);
});

test("a mention resolves to a user of the organization, and its ID selects among users of the same name", async () => {
  const name = `Rosencrantz ${Math.random().toString(36).slice(2, 8)}`;
  const [first, second] = [await aPerson(name), await aPerson(name)];

  expect(await render(`@**${name.toUpperCase()}|${second.id}**`)).toBe(
    `<p><span class="user-mention" data-user-id="${second.id}">@${name}</span></p>`,
  );
  expect(await render(`@_**${name}|${first.id}**`)).toBe(
    `<p><span class="user-mention silent" data-user-id="${first.id}">${name}</span></p>`,
  );
});

test("a channel mention is a link if the author can see the channel, and a topic links to its newest message", async () => {
  const [insider, outsider] = [await aPerson("Polonius"), await aPerson("Osric")];
  const closet = await aChannel("closet", [insider], { inviteOnly: true });
  const { body } = await insider.call("POST", "/messages", {
    type: "channel",
    to: closet.id,
    topic: "arras",
    content: "O, I am slain!",
  });

  const insidersHtml = await render(`#**${closet.name}>arras**`, insider);
  const outsidersHtml = await render(`#**${closet.name}>arras**`, outsider);

  expect(insidersHtml).toContain(`data-stream-id="${closet.id}"`);
  expect(insidersHtml).toContain(`/topic/arras/with/${body.id}"`);
  expect(outsidersHtml).not.toContain("data-stream-id");
});

test("a topic with protected history links to the newest message that the author can see", async () => {
  const [insider, newcomer] = [await aPerson("Polonius"), await aPerson("Reynaldo")];
  const closet = await aChannel("closet", [insider], { inviteOnly: true });
  const sendToCloset = async (topic: string, content: string) =>
    (await insider.call("POST", "/messages", { type: "channel", to: closet.id, topic, content })).body.id;
  await sendToCloset("arras", "behind");
  await sendToCloset("letters", "before");
  await insider.do("POST", "/users/me/subscriptions", {
    subscriptions: [{ name: closet.name }],
    principals: [newcomer.id],
  });
  const newestVisibleId = await sendToCloset("letters", "now");
  await newcomer.do("DELETE", "/users/me/subscriptions", { subscriptions: [closet.name] });
  const newestId = await sendToCloset("letters", "later");
  await insider.do("POST", "/users/me/subscriptions", {
    subscriptions: [{ name: closet.name }],
    principals: [newcomer.id],
  });

  const links = `#**${closet.name}>arras** #**${closet.name}>letters**`;

  expect(await render(links, newcomer)).not.toContain("arras/with/");
  expect(await render(links, newcomer)).toContain(`/topic/letters/with/${newestVisibleId}"`);
  expect(await render(links, insider)).toContain(`/topic/letters/with/${newestId}"`);
});

test("a sent message is stored with the HTML of render_message", async () => {
  const content = "A list:\n* of **two**\n* `things` :heart:\n\n```python\nx = 1\n```";
  await hamlet.do("POST", "/messages", { type: "direct", to: [hamlet.id], content });

  const { body } = await hamlet.call("GET", "/messages", { anchor: "newest", num_before: 1, num_after: 0 });

  expect(body.messages[0].content).toBe(await render(content));
});

test("missing and too long content are refused", async () => {
  expect(await hamlet.call("POST", "/messages/render", {})).toMatchObject({
    status: 400,
    body: { code: "REQUEST_VARIABLE_MISSING", var_name: "content" },
  });
  expect(await hamlet.call("POST", "/messages/render", { content: "x".repeat(10_001) })).toMatchObject({
    status: 400,
    body: { code: "BAD_REQUEST", msg: "content is too long (limit: 10000 characters)" },
  });
  expect(await call("POST", "/messages/render", { content: "x" })).toMatchObject({
    status: 401,
    body: { code: "UNAUTHORIZED" },
  });
});

test("content of the maximum length is rendered", async () => {
  expect(await render("x".repeat(10_000))).toBe(`<p>${"x".repeat(10_000)}</p>`);
});

test("emoticons that are separate words become emoji if the author's setting says so", async () => {
  const feste = await aPerson("Feste");
  expect(await render("a fool :) indeed", feste)).toBe("<p>a fool :) indeed</p>");

  await feste.do("PATCH", "/settings", { translate_emoticons: true });

  expect(await render("a fool :) indeed", feste)).toContain('class="emoji emoji-1f642"');
  expect(await render("see http://a.test/:)x", feste)).not.toContain("emoji");
});

localTest("an emulated fleet's address differs from the one that its functions know")(
  "links to the organization's own address become relative, other links stay unchanged",
  async () => {
    const lysander = await aPerson("Lysander");
    const { realm_url: url } = (await call("GET", "/server_settings")).body;
    const renderByLysander = async (content: string) =>
      (await lysander.call("POST", "/messages/render", { content })).body.rendered;

    expect(await renderByLysander(`[plays](${url}/#narrow/channel/1-stage)`)).toBe(
      '<p><a href="#narrow/channel/1-stage">plays</a></p>',
    );
    expect(await renderByLysander(`${url}/#narrow/channel/1-stage`)).toBe(
      `<p><a href="#narrow/channel/1-stage">${url}/#narrow/channel/1-stage</a></p>`,
    );
    expect(await renderByLysander(`[file](${url}/user_uploads/1/ab/c.txt)`)).toBe(
      '<p><a href="/user_uploads/1/ab/c.txt">file</a></p>',
    );
    expect(await renderByLysander(`[other](${url}.evil.test/#narrow)`)).toBe(
      `<p><a href="${url}.evil.test/#narrow">other</a></p>`,
    );
    expect(await renderByLysander(`[help](${url}/help)`)).toBe(`<p><a href="${url}/help">help</a></p>`);
  },
);
