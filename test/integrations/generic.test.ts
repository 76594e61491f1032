import { beforeAll, expect, test } from "vitest";
import { fillMarkdown } from "../../shared/features/integrations/template.ts";
import { jsonBlock } from "../../shared/features/integrations/text.ts";
import { aPerson, costTest, type Person } from "../support/world.ts";
import { anIntegration, dearerThan, directMessagesTo } from "./deliveries.ts";

/** Templates that the bot's owner writes, filled in with whatever a service sends. */

type Generic = Awaited<ReturnType<typeof anIntegration>>;
let generic: Generic;
beforeAll(async () => {
  generic = await anIntegration("generic");
});

const configure = ({ owner, bot }: Generic, topic_template: string, content_template: string) =>
  owner.do("PATCH", `/bots/${bot.id}`, { config_data: { topic_template, content_template } });
const preview = ({ bot }: Generic, person: Person, templates = {}) =>
  person.call("POST", `/bots/${bot.id}/template_preview`, templates);

const release = {
  app: "shop",
  version: { name: "1.2" },
  changes: [{ title: "Faster" }, { title: "*Smaller*" }],
  notes: "Two\n```\n**lines**",
};
const template = "**{{app}} {{version.name}}**\n\n{{#changes}}\n* {{title}}\n{{/changes}}\n{{{notes}}}";

test("a payload is posted as it came until there is a template, then by the template, or not if it is empty", async () => {
  const fresh = await anIntegration("generic");
  expect(await fresh.posted({ a: 1 })).toEqual({ topic: "Generic", content: '```json\n{\n  "a": 1\n}\n```' });

  await configure(fresh, "{{app}} releases", template);
  const quote = "````quote\nTwo\n```\n**lines**\n```\n````";
  const content = `**shop 1.2**\n\n* Faster\n* &#x2a;Smaller&#x2a;\n\n${quote}`;
  expect(await fresh.posted(release)).toEqual({ topic: "shop releases", content });
  expect((await fresh.messages(true)).at(-1)?.content).toContain("<li>&#x2a;Smaller&#x2a;</li>");

  await configure(fresh, "", "{{#important}}{{app}}{{/important}}");
  expect(await fresh.posted(release)).toBeUndefined();
  expect(await fresh.posted("important=yes&app=shop", form)).toEqual({ topic: "Generic", content: "shop" });
});

const form = { headers: { "content-type": "application/x-www-form-urlencoded" } };

test("templates are tried out with the last payload, by the bot's owner alone, and nothing is posted", async () => {
  const fresh = await anIntegration("generic");
  expect((await preview(fresh, fresh.owner)).body).toMatchObject({ payload: null, content: null, rendered: null });
  await fresh.posted({ app: "first" });
  await fresh.posted(release);
  const before = await fresh.messages();

  const { body } = await preview(fresh, fresh.owner, { topic_template: "{{app}}", content_template: "**{{app}}**" });

  expect(body).toMatchObject({ topic: "shop", content: "**shop**", rendered: "<p><strong>shop</strong></p>" });
  expect(JSON.parse(body.payload)).toEqual(release);
  expect(body.received_at * 1000).toBeGreaterThan(Date.now() - 600_000);
  expect((await preview(fresh, fresh.owner, { content_template: "{{#app}" })).body).toMatchObject({
    code: "BAD_REQUEST",
    msg: "This cannot be posted: the template cannot be read (Unclosed tag at 7).",
  });
  expect((await preview(fresh, fresh.owner, { content_template: "{{none}}" })).body).toMatchObject({ content: null });
  expect((await preview(fresh, await aPerson("Antonio"))).status).toBe(400);
  expect(await fresh.messages()).toEqual(before);
});

test("of a large payload, the beginnings of its texts and lists are kept", async () => {
  const noise = (n: number) => Array.from({ length: n }, () => Math.random().toString(36).repeat(3));
  const payload = { app: "shop", text: noise(2000).join(" "), list: noise(5000) };
  const nested = "[".repeat(40_000) + "]".repeat(40_000);
  const json = `${JSON.stringify(payload).slice(0, -1)},"deep":${nested}}`;
  await configure(generic, "", "{{app}}");
  expect((await generic.post(json)).status).toBe(200);

  const { body } = await preview(generic, generic.owner);
  const { app, text, list } = JSON.parse(body.payload);
  expect([app, payload.text.startsWith(text), payload.list[0]?.startsWith(list[0])]).toEqual(["shop", true, true]);
});

test("of deep lists, only the beginning is indented", () => {
  const payload = {
    a: [[1, { b: Array.from({ length: 3000 }, (_, index) => ({ index, text: "x".repeat(index % 9) })) }]],
  };
  const whole = JSON.stringify(payload, undefined, 2);
  const block = jsonBlock(payload).split("\n").slice(1, -2).join("\n");
  expect([whole.startsWith(block), block.length]).toEqual([true, 9000 - "\n[…]".length]);

  // Indented, 800 MB.
  const deep = `${"[".repeat(1000)}1${",1".repeat(400_000)}${"]".repeat(1000)}`;
  expect(jsonBlock(JSON.parse(deep)).length).toBeLessThan(10_000);
});

test("a broken template is told the owner once, and the service gets an error", async () => {
  const fresh = await anIntegration("generic");
  await configure(fresh, "", "{{#app}}");

  for (const _ of [1, 2]) expect((await fresh.post(release)).status).toBe(400);

  const notices = await directMessagesTo(fresh.owner);
  expect(notices.map(({ content }) => content)).toEqual([expect.stringContaining('Unclosed section "app"')]);
});

test("a payload formats nothing, mentions nobody, breaks out of nothing and finds only its own fields", async () => {
  await configure(
    generic,
    "",
    "{{a}}\n\n`{{a}}`\n\n[x]({{url}})\n{{constructor}}{{a.constructor}}{{#toString}}x{{/toString}}",
  );
  const hostile = "# **evil** @**all** [link](https://evil.example) `\n```";

  await generic.posted({ a: hostile, url: `javascript:alert(1)` });
  await generic.posted({ a: "/me is evil", url: "https://a.example) @**all** **evil**" });

  const rendered = (await generic.messages(true)).map(({ content }) => content).join("\n");
  expect(rendered).not.toMatch(/<h1>|<strong>|user-mention|>link<|javascript:[^<]*"|status-message|codehilite/);
});

test.each<[string, string, unknown]>([
  ["sections within sections", "{{#l}}".repeat(80) + "{{/l}}".repeat(80), { l: Array(500).fill(1) }],
  ["a long text in a list", `{{#l}}${"x".repeat(900)}{{/l}}`, { l: Array(400_000).fill(1) }],
  ["a long value in a list", "{{#l}}{{o}}{{/l}}", { l: Array(4000).fill(1), o: "a ".repeat(400_000) }],
  ["many lookups", "{{#l}}{{a.b.c.d.e.f.g}}{{/l}}", { l: Array(400_000).fill(1) }],
  ["a deep object", "{{a}}", { a: JSON.parse("[".repeat(4e5) + "]".repeat(4e5)) }],
  ["many openings", "{{=".repeat(300), {}],
])("%s ends with an error after little work", (_, content, payload) => {
  const begin = process.cpuUsage();

  expect(() => fillMarkdown(content, payload)).toThrow(/too long for the template|cannot be read/);

  // Without limits, these take minutes or all memory.
  expect(process.cpuUsage(begin).user / 1000).toBeLessThan(2000);
});

costTest("a payload of any size takes 5 stages, and 3 units more than a message", async () => {
  const to = { type: "channel", to: generic.channel.id, topic: "Generic" };
  await configure(generic, "", "{{text}}");
  await generic.post({ text: "warm up" });
  await generic.bot.call("POST", "/messages", { ...to, content: "warm up" });

  const noise = Array.from({ length: 20 }, () => Array.from({ length: 90 }, Math.random).join(" "));
  for (const payload of [{ text: "text" }, { text: "text", noise }]) {
    const { stages, units } = await dearerThan(
      () => generic.bot.call("POST", "/messages", { ...to, content: "text" }),
      () => generic.post(payload),
    );

    expect(stages).toBeLessThanOrEqual(5);
    expect(units).toBeLessThanOrEqual(3);
  }
});
