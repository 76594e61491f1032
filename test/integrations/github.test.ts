import { createHmac } from "node:crypto";
import examples from "@octokit/webhooks-examples" with { type: "json" };
import { beforeAll, describe, expect, test } from "vitest";
import { findIntegration } from "../../shared/features/integrations/load.ts";
import { anIntegration } from "./deliveries.ts";

type GitHub = Awaited<ReturnType<typeof anIntegration>>;
let github: GitHub;
beforeAll(async () => {
  github = await anIntegration("github");
});

const published = examples as unknown as { name: string; examples: Record<string, any>[] }[];
const exampleOf = (event: string, fits: (payload: any) => boolean = () => true) =>
  structuredClone(published.find(({ name }) => name === event)?.examples.find(fits) as any);
const ofAction = (event: string, action: string) => exampleOf(event, (payload) => payload.action === action);
const asEvent = (event: string) => ({ headers: { "x-github-event": event } });
const posted = (event: string, payload: unknown, query: Record<string, string> = {}) =>
  github.posted(payload, { ...asEvent(event), query });

const helloWorld = "https://github.com/Codertocat/Hello-World";
const sha = "6113728f27ae82c7b1a177c8d03f9e96e0adf246";
const title = "Update the README with new information.";
const pr = `Hello-World / PR #2 ${title}`;

describe("in the form that Zulip's users know", () => {
  test.each<[string, any, string, string]>([
    ["ping", exampleOf("ping"), "Hello-World", "GitHub webhook has been successfully configured by Codertocat."],
    [
      "push",
      exampleOf("push", ({ commits }) => commits.length === 1),
      "Hello-World / master",
      `Codertocat [pushed](${helloWorld}/commit/${sha}) 1 commit to branch master.\n\n* Initial commit ([${sha.slice(0, 12)}](${helloWorld}/commit/${sha}))`,
    ],
    ["push", exampleOf("push", ({ deleted }) => deleted), "Hello-World", "Codertocat removed tag simple-tag."],
    [
      "pull_request",
      ofAction("pull_request", "opened"),
      pr,
      `Codertocat opened [PR #2](${helloWorld}/pull/2) from \`changes\` to \`master\`:\n\n\`\`\`quote\nThis is a pretty simple change that we need to pull into master.\n\`\`\``,
    ],
    [
      "pull_request",
      ofAction("pull_request", "closed"),
      pr,
      `Codertocat closed without merge [PR #2](${helloWorld}/pull/2).`,
    ],
    [
      "pull_request",
      {
        ...ofAction("pull_request", "closed"),
        pull_request: { ...ofAction("pull_request", "closed").pull_request, merged: true },
      },
      pr,
      `Codertocat merged [PR #2](${helloWorld}/pull/2).`,
    ],
    [
      "pull_request",
      ofAction("pull_request", "ready_for_review"),
      pr,
      `**Codertocat** has marked [PR #2](${helloWorld}/pull/2) as ready for review.`,
    ],
    [
      "issue_comment",
      ofAction("issue_comment", "created"),
      "Hello-World / issue #1 Spelling error in the README file",
      `Codertocat [commented](${helloWorld}/issues/1#issuecomment-492700400) on [issue #1](${helloWorld}/issues/1):\n\n\`\`\`quote\nYou are totally right! I'll get this fixed right away.\n\`\`\``,
    ],
    [
      "check_run",
      ofAction("check_run", "completed"),
      "Hello-World / checks",
      `Check [Octocoders-linter](${helloWorld}/runs/128620228) completed (failure). ([ec26c3e57ca3](${helloWorld}/commit/ec26c3e57ca3a959ca5aad62de7213c562f8c821))`,
    ],
    [
      "star",
      ofAction("star", "created"),
      "Hello-World",
      `Codertocat starred the repository [Codertocat/Hello-World](${helloWorld}).`,
    ],
    [
      "gollum",
      exampleOf("gollum"),
      "Hello-World / wiki pages",
      expect.stringMatching(/^rachmari:\n\* edited \[Home\]/) as unknown as string,
    ],
  ])("%s", async (event, payload, topic, content) => {
    expect(await posted(event, payload)).toEqual({ topic, content });
  });

  test("a push of many commits by several people names them, and lists twenty", async () => {
    const push = exampleOf("push", ({ commits }) => commits.length === 1);
    const [commit] = push.commits;
    push.commits = Array.from({ length: 23 }, (_, n) => ({ ...commit, author: { name: n < 20 ? "Ann" : "Bo" } }));

    const content = (await posted("push", push))?.content ?? "";

    expect(content).toMatch(/ 23 commits to branch master\. Commits by Ann \(20\) and Bo \(3\)\.\n\n\* /);
    expect(content.match(/^\* /gm)).toHaveLength(20);
    expect(content).toMatch(/\n\[and 3 more commit\(s\)\]$/);
  });

  test("where the URL names the topic, the repository and the title are in the text", async () => {
    const message = await posted("pull_request", ofAction("pull_request", "reopened"), { topic: "code" });

    expect(message).toEqual({
      topic: "code",
      content: `**Hello-World / PR #2 ${title}**\n\nCodertocat reopened [PR #2](${helloWorld}/pull/2).`,
    });
  });
});

test("the URL chooses events and branches, and leaves out private repositories", async () => {
  const push = exampleOf("push", ({ commits }) => commits.length === 1);
  const star = ofAction("star", "created");
  const isPosted = async (event: string, payload: unknown, query: Record<string, string>) =>
    (await posted(event, payload, query)) !== undefined;

  expect(await isPosted("push", push, { only_events: '["pu*h", "x"]' })).toBe(true);
  expect(await isPosted("star", star, { only_events: '["pu*h", "*a"]' })).toBe(false);
  expect(await isPosted("star", star, { exclude_events: '["s**r"]' })).toBe(false);
  expect(await isPosted("star", star, { exclude_events: '["st"]' })).toBe(true);
  expect(await isPosted("push", push, { branches: "main, master" })).toBe(true);
  expect(await isPosted("push", push, { branches: "maste" })).toBe(false);
  const ofPrivate = { ...star, repository: { ...star.repository, private: true } };
  expect(await isPosted("star", ofPrivate, { ignore_private_repositories: "true" })).toBe(false);
  expect(await isPosted("star", ofPrivate, {})).toBe(true);
});

test("comments of templates are left out of what people write, and events that are left out are accepted", async () => {
  const opened = ofAction("pull_request", "opened");
  opened.pull_request.body = "<!-- Describe the change. -->\n";

  const message = await posted("pull_request", opened);

  expect(message?.content).toBe(`Codertocat opened [PR #2](${helloWorld}/pull/2) from \`changes\` to \`master\`.`);
  expect(await posted("check_suite", exampleOf("check_suite"))).toBeUndefined();
});

test("of the merge queue's own branches, only checks that fail are posted", async () => {
  const branch = "gh-readonly-queue/main/pr-104-f6c2";
  const push = { ...exampleOf("push", ({ commits }) => commits.length === 1), ref: `refs/heads/${branch}` };
  const workflow = ofAction("workflow_run", "completed");
  const check = ofAction("check_run", "completed");
  const run = (conclusion: string) => ({
    ...workflow,
    workflow_run: { ...workflow.workflow_run, head_branch: branch, conclusion },
  });
  const checked = (conclusion: string) => ({
    ...check,
    check_run: { ...check.check_run, conclusion, check_suite: { ...check.check_run.check_suite, head_branch: branch } },
  });

  expect(await posted("push", push)).toBeUndefined();
  for (const event of ["create", "delete"])
    expect(await posted(event, { ...exampleOf(event), ref: branch })).toBeUndefined();
  expect(await posted("workflow_run", run("success"))).toBeUndefined();
  expect(await posted("check_run", checked("success"))).toBeUndefined();
  expect((await posted("workflow_run", run("failure")))?.content).toContain("completed (failure)");
  expect((await posted("check_run", checked("failure")))?.content).toContain("completed (failure)");
});

test("a delivery that GitHub sends again is posted once", async () => {
  const { post, messages } = await anIntegration("github");
  const ping = { headers: { "x-github-event": "ping", "x-github-delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958" } };

  const statuses = await Promise.all([1, 2, 3].map(async () => (await post(exampleOf("ping"), ping)).status));
  statuses.push((await post(exampleOf("ping"), ping)).status);

  expect(statuses).toEqual([200, 200, 200, 200]);
  expect(await messages()).toHaveLength(1);
});

test("texts of people outside are escaped in titles and names, and cannot leave their quote", async () => {
  const opened = ofAction("pull_request", "opened");
  const hostile =
    "**bold** `code` [link](https://evil.example) @**all** ~~x~~ $$y$$ <time:2020-01-01> &lt;b&gt; #**general** ![i](https://e.example/i.png)";
  opened.pull_request.title = hostile;
  opened.pull_request.body = "```\n~~~ quote\n````\n`````quote\n# Heading\n@**all**\n```js";
  opened.pull_request.html_url = "https://github.com/a)[x](javascript:alert(1))";
  opened.sender.login = hostile;
  const hook = await anIntegration("github");

  await hook.posted(opened, { ...asEvent("pull_request"), query: { topic: "t" } });
  await hook.posted({ ...opened, repository: { name: "r" }, pull_request: { title: 7 } }, asEvent("pull_request"));

  const [message] = await hook.messages(true);
  const outside = message?.content.replace(/^<p><strong>|<blockquote>.*<\/blockquote>/gs, "") ?? "";
  expect(outside).not.toMatch(/<strong>|<del>|<code>code|<time|katex|stream|user-mention|<img|<h1/);
  expect(outside).not.toContain("Heading");
  const links = [...outside.matchAll(/<a href="([^"]*)"[^>]*>([^<]*)<\/a>/g)];
  // An address within a text is shown as what it is; a link to another address than it shows is the integration's own.
  for (const [, href, label] of links)
    expect([label, "https://github.com"]).toContainEqual(
      new URL(href as string).origin === "https://github.com" ? "https://github.com" : href,
    );
  expect(links.length).toBeGreaterThan(2);
  expect(message?.content).not.toContain("user-mention");
});

test("fields that are missing, null or of other types break nothing", async () => {
  const service = await findIntegration("github");
  const hollow = (payload: object, value: unknown) => ({
    ...Object.fromEntries(Object.keys(payload).map((name) => [name, value])),
    ...("action" in payload && { action: payload.action }),
  });
  const posts = published.flatMap(({ name, examples: payloads }) =>
    payloads.flatMap((payload) =>
      [undefined, null, 7, "text", [], [null], {}].map((value) => {
        const delivery = {
          headers: asEvent(name).headers,
          body: Buffer.alloc(0),
          parameter: () => undefined,
          config: {},
        };
        const post = service?.toPost(service.payload.parse(hollow(payload, value)), delivery);
        return [name, post?.topic ?? "x", post?.content ?? "x"];
      }),
    ),
  );

  expect(
    posts.filter(([, topic, content]) => topic === "" || /undefined|\[object/.test(`${topic} ${content}`)),
  ).toEqual([]);
});

test("a request without GitHub's header is refused", async () => {
  expect(await github.post({})).toMatchObject({
    status: 400,
    body: { msg: expect.stringContaining("X-GitHub-Event") },
  });
});

test("a signed request is accepted, an unsigned one or one with another signature is not", async () => {
  const { owner, bot, post } = await anIntegration("github");
  await owner.do("PATCH", `/bots/${bot.id}`, { config_data: { webhook_secret: "It's a Secret to Everybody" } });
  const body = JSON.stringify(exampleOf("ping"));
  const signature = (secret: string) => `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
  const statusWith = async (headers: Record<string, string>) =>
    (await post(body, { headers: { "x-github-event": "ping", ...headers } })).status;

  expect(await statusWith({ "x-hub-signature-256": signature("It's a Secret to Everybody") })).toBe(200);
  expect(await statusWith({ "x-hub-signature-256": signature("guess") })).toBe(401);
  expect(await statusWith({ "x-hub-signature-256": "sha256=é" })).toBe(401);
  expect(await statusWith({})).toBe(401);
});
