import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { loadExamples, postOf, shownExamples } from "../../infra/reference/integration-examples.ts";
import { loadIntegrations } from "../../infra/reference/integrations.ts";
import { renderMarkdown } from "../../shared/core/markdown/render.ts";
import { contentUnder, topicName } from "../../shared/features/integrations/content.ts";
import { isWanted } from "../../shared/features/integrations/event-filter.ts";
import { type Integration, UnreadablePayload } from "../../shared/features/integrations/integration.ts";
import { findIntegration } from "../../shared/features/integrations/load.ts";
import { testContext } from "../markdown/context.ts";
import { aChannel } from "../support/world.ts";
import { anIntegration, deliver, directMessagesTo } from "./deliveries.ts";

/** GitHub's are in `github-payloads.test.ts`, those of SNS need signatures (`aws-sns.test.ts`); the texts of the others are their senders' own. */
const elsewhere = ["aws_sns", "generic", "github", "json", "slack_incoming"];
/** One verifies its requests, the other posts by a template of the bot. */
const needsMore = ["aws_sns", "generic"];
const integrations = await loadIntegrations();
const examples = await Promise.all(
  integrations
    .filter(([name]) => !elsewhere.includes(name))
    .map(async ([name]) => [name, await loadExamples(name)] as const),
);
const examplesOf = (wanted: string) => examples.find(([name]) => name === wanted)?.[1] ?? [];

test.each(integrations)("%s has an example of each event, and no broken message", async (name, integration) => {
  const shown = await shownExamples(name, integration);

  expect(shown.length).toBeGreaterThan(0);
  const missing = integration.events?.filter(
    (pattern) => !shown.some(({ event }) => isWanted(event, { only: [pattern], exclude: [] })),
  );
  expect(missing ?? []).toEqual([]);
  // A post without an event, such as a verification, passes every filter.
  const isUndeclared = (event: string) =>
    event !== "" && integration.events && !isWanted(event, { only: integration.events, exclude: [] });
  expect(shown.filter(({ event, topic, html }) => isUndeclared(event) || topic === "" || isBroken(html))).toEqual([]);
});

test.each(integrations)("%s is understood whole wherever its examples are posted", async (name, integration) => {
  for (const example of await loadExamples(name)) {
    const post = postOf(integration, example);
    if (!post || post.isTopicGeneral) continue;
    for (const topic of [undefined, "elsewhere", "", cut(topicName(post.topic))]) {
      const { html } = await renderMarkdown(contentUnder(topic, post), testContext());
      const seen = new Set(wordsOf(`${topic ?? ""} ${textOf(html)}`));
      expect([example, topic, wordsOf(post.topic).filter((word) => !seen.has(word))]).toEqual([example, topic, []]);
    }
  }
});

test("every service is understood whole in a direct message, in a topic of the URL, and in a channel without topics", async () => {
  const { owner, bot, channel } = await anIntegration("json");
  const general = await aChannel("general", [owner], { topicsPolicy: "empty_topic_only" });
  const newest = async () => {
    const { messages } = await owner.do("GET", "/messages", { anchor: "newest", num_before: 1, num_after: 0 });
    return messages[0];
  };
  const ways = [{}, { stream: String(channel.id), topic: "elsewhere" }, { stream: String(general.id) }];
  for (const [name, integration] of integrations.filter(([one]) => !needsMore.includes(one))) {
    const example = (await loadExamples(name)).find((one) => postOf(integration, one));
    const post = example && postOf(integration, example);
    for (const way of ways) {
      const before = (await newest())?.id;
      const reply = await deliver(name, { api_key: bot.apiKey, ...way }, example?.[1], example?.[0]);
      expect([name, reply.status]).toEqual([name, 200]);
      const { id, content } = await newest();
      expect(id).not.toBe(before);
      const seen = wordsOf(textOf(content));
      expect(wordsOf(post?.isTopicGeneral ? "" : (post?.topic ?? "")).filter((word) => !seen.includes(word))).toEqual(
        [],
      );
    }
  }
});

test("a payload of another service, or of none, is refused or posted, and never lost", async () => {
  const payloads = [[{}, {}] as const, ...(await Promise.all(integrations.map(([name]) => loadExamples(name)))).flat()];
  for (const [name, service] of integrations) {
    const own = new Set((await loadExamples(name)).map(([, payload]) => payload));
    const foreign = payloads.filter(([, payload]) => typeof payload !== "string" && !own.has(payload));
    expect(foreign.filter(([headers, payload]) => outcomeOf(service, headers, payload) === "nothing")).toEqual([]);
  }
});

test("an event that is not known is accepted, and the owner is told once; one that is left out is not posted", async () => {
  const { owner, post, messages } = await anIntegration("linear");
  const ofType = (type: string) => ({ type, action: "create", data: {} });

  for (const type of ["Roadmap*", "Roadmap*", "Anything", "IssueLabel"])
    expect((await post(ofType(type))).status).toBe(200);

  expect(await messages()).toEqual([]);
  const notices = await directMessagesTo(owner);
  expect(notices).toHaveLength(1);
  expect(notices[0]?.content).toContain("an event from Linear that is not known here and was not posted: `Roadmap*`.");
});

test.each([
  [
    "sentry",
    { project: "api", culprit: "main", level: "error", url: "https://sentry.io/1", event: {} },
    "internal integration",
  ],
  ["pagerduty", { messages: [{ event: "incident.trigger", incident: {} }] }, "version 3"],
  ["jira", { issue: { key: "A-1" } }, "the field webhookEvent is missing"],
  ["newrelic", { incident_id: 1, current_state: "open" }, "workflow"],
])("%s says what to do about a payload of a former version", async (name, payload, advice) => {
  const service = (await findIntegration(name)) as Integration;

  expect(outcomeOf(service, {}, payload)).toContain(advice);
});

test("the end of a Jenkins build, which is sent as completed and again as finalized, is posted once", async () => {
  const { post, messages } = await anIntegration("jenkins");
  const ended = (phase: string, status: string, number = 18) =>
    post({ name: "island", url: "job/island/", build: { number, queue_id: number, phase, status } });

  await ended("COMPLETED", "SUCCESS");
  await ended("FINALIZED", "SUCCESS");
  // A last step can make another result of it.
  await ended("FINALIZED", "FAILURE");
  await ended("COMPLETED", "SUCCESS", 19);

  const contents = (await messages()).map(({ content }) => content);
  expect(contents).toEqual([
    "Build #18 of island succeeded.",
    "Build #18 of island failed.",
    "Build #19 of island succeeded.",
  ]);
});

/** What a message shows. */
const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/&#x(\w+);/g, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)));

const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}]+/gu) ?? [];

const isBroken = (html: string) =>
  /undefined|null\b|\[object|NaN|\*\*|\]\(/.test(html.replaceAll(/<code>.*?<\/code>/gs, ""));

describe.each(examples)("%s", (name, own) => {
  test("posts the service's examples", async () => {
    const { posted } = await anIntegration(name);
    for (const [headers, payload, topic, content] of own) {
      const message = await posted(payload, { headers });
      expect(message).toEqual(
        topic === null ? undefined : topic === undefined ? expect.anything() : { topic: cut(topic), content },
      );
    }
  });

  test("lets no text of its payload format, mention, link or break out", async () => {
    const { posted, messages } = await anIntegration(name);
    const hostile = "**evilbold** @**all** [evillink](https://evil.example/) ~~evil~~\n```\n# evilheading\n> x";
    // What people wrote for the chat is theirs to format.
    if (name === "zapier" || name === "discord_incoming") return;
    for (const [headers, payload] of own)
      if (typeof payload !== "string") await posted(withTexts(payload, hostile), { headers });

    const outside = (await messages(true))
      .map(({ content }) => content.replaceAll(/<blockquote>.*?<\/blockquote>/gs, ""))
      .join("\n");
    expect(outside).not.toMatch(/<strong>evilbold|user-mention|>evillink<|<del>|<h1>|codehilite/);
  });

  test("survives fields that are missing, null, huge or of other types", async () => {
    const service = (await findIntegration(name)) as Integration;
    for (const [headers, payload] of own)
      for (const value of [
        undefined,
        null,
        7,
        true,
        "a".repeat(1_000_000),
        [],
        [null],
        {},
        { toString: 1 },
        "\u0000\ud800",
      ])
        for (const changed of mutations(payload, value)) {
          const content = outcomeOf(service, headers, changed);
          expect(content).not.toMatch(/undefined|\[object|NaN/);
        }
  });
});

const cut = (topic: string) => (topic.length > 60 ? `${topic.slice(0, 57)}...` : topic);

/** The content of what is posted, or the reason why a payload cannot be read. */
function outcomeOf(service: Integration, headers: Record<string, string>, payload: unknown): string {
  try {
    const parsed = service.payload.safeParse(payload);
    if (!parsed.success) return "unreadable";
    const delivery = { headers, body: Buffer.alloc(0), parameter: () => undefined, config: {} };
    service.deliveryId?.(parsed.data, delivery);
    const post = service.toPost(parsed.data, delivery);
    return post ? `${post.topic} ${post.content}` : "nothing";
  } catch (error) {
    if (error instanceof UnreadablePayload) return error.message;
    throw error;
  }
}

/** A payload with each of its fields, at any depth, replaced. */
function* mutations(payload: unknown, value: unknown): Generator<unknown> {
  if (typeof payload !== "object" || payload === null) return;
  for (const [name, inner] of Object.entries(payload)) {
    const replaced = (by: unknown) =>
      Array.isArray(payload) ? payload.with(Number(name), by) : { ...payload, [name]: by };
    yield replaced(value);
    for (const changed of mutations(inner, value)) yield replaced(changed);
  }
}

/** A payload whose titles, names and descriptions are `text`; URLs and words of the protocol stay. */
function withTexts(payload: unknown, text: string): unknown {
  if (Array.isArray(payload)) return payload.map((item) => withTexts(item, text));
  if (typeof payload !== "object" || payload === null) return payload;
  const isFree =
    /^(title|name|summary|description|message|note|body|displayName|culprit|value|content|user_name|subject|alert_details|description_text|description_title|ref|environment|instance|team|alertname|fromString|toString|number|email)$/;
  return Object.fromEntries(
    Object.entries(payload).map(([name, inner]) => [
      name,
      typeof inner === "string" && isFree.test(name) ? text : withTexts(inner, text),
    ]),
  );
}

describe("signatures", () => {
  const secret = "whsec_test";
  const body = JSON.stringify({ webhookTimestamp: Date.now(), ...(examplesOf("stripe")[0]?.[1] as object) });
  const hmac = (text: string, key = secret) => createHmac("sha256", key).update(text).digest("hex");
  const sha1 = (key: string) => createHmac("sha1", key).update(body).digest("hex");
  const now = Math.floor(Date.now() / 1000);
  const signed: [name: string, valid: Record<string, string>, invalid: Record<string, string>][] = [
    ["gitlab", { "x-gitlab-token": secret }, { "x-gitlab-token": "whsec_tesT" }],
    ["sentry", { "sentry-hook-signature": hmac(body) }, { "sentry-hook-signature": hmac(body, "guess") }],
    ["jira", { "x-hub-signature": `sha256=${hmac(body)}` }, { "x-hub-signature": hmac(body) }],
    ["bitbucket", { "x-hub-signature": `sha256=${hmac(body)}` }, { "x-hub-signature": hmac(body, "guess") }],
    ["buildkite", { "x-buildkite-token": secret }, { "x-buildkite-token": "whsec_tesT" }],
    [
      "buildkite",
      { "x-buildkite-signature": `timestamp=${now},signature=${hmac(`${now}.${body}`)}` },
      { "x-buildkite-signature": `timestamp=${now - 1000},signature=${hmac(`${now - 1000}.${body}`)}` },
    ],
    ["vercel", { "x-vercel-signature": sha1(secret) }, { "x-vercel-signature": sha1("guess") }],
    ["pagerduty", { "x-pagerduty-signature": `v1=0,v1=${hmac(body)}` }, { "x-pagerduty-signature": `v1=${hmac("")}` }],
    ["linear", { "linear-signature": hmac(body) }, { "linear-signature": "" }],
    ["circleci", { "circleci-signature": `v1=${hmac(body)}` }, { "circleci-signature": `v0=${hmac(body)}` }],
    ["notion", { "x-notion-signature": `sha256=${hmac(body)}` }, { "x-notion-signature": "sha256=" }],
    [
      "stripe",
      { "stripe-signature": `t=${now},v1=${hmac(`${now}.${body}`)},v0=x` },
      { "stripe-signature": `t=${now - 1000},v1=${hmac(`${now - 1000}.${body}`)}` },
    ],
  ];

  test.each(signed)("of %s", async (name, valid, invalid) => {
    const { isSigned } = (await findIntegration(name)) as Integration;
    const check = (headers: Record<string, string>) =>
      isSigned?.({ headers, body: Buffer.from(body), parameter: () => undefined, config: {} }, secret);

    expect([check(valid), check(invalid), check({})]).toEqual([true, false, false]);
  });
});
