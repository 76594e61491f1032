import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { browserTest, chromiumPath } from "../support/browser/browser-test.ts";
import { aPrivateHost, type PrivateHost } from "../support/hosts/private-host.ts";
import { type Call, type Context, markdown, ownPlaces, type Place, places, texts } from "./written-texts.ts";

/**
 * One person writes hostile texts to every field that the API offers, and another opens every view: nothing fails, no script
 * runs, nothing is fetched from elsewhere, the layout holds, and what others wrote is there.
 */

const reader = { email: "owner@globe.test", password: "all-the-world-is-a-stage" };
const writerEmail = "viola@globe.test";
let host: PrivateHost;
let browser: Browser;
let page: Page;
let context: Context;
let ownContext: Context;
/** Errors of the page, and its requests to other origins. */
const problems: string[] = [];

async function callsOf(email: string): Promise<Call> {
  const { api_key } = await host.as(undefined, "POST", "/dev_fetch_api_key", { username: email });
  const authorization = `Basic ${Buffer.from(`${email}:${api_key}`).toString("base64")}`;
  return async (method, path, params = {}, file) => {
    if (!file) return host.as(email, method, path, params);
    const form = new FormData();
    form.set("file", new Blob([new Uint8Array(file.bytes)]), file.name);
    const response = await fetch(`${host.url}/api/v1${path}`, { method, headers: { authorization }, body: form });
    return { status: response.status, ...((await response.json()) as object) };
  };
}

beforeAll(async () => {
  if (!chromiumPath) return;
  host = await aPrivateHost({ RATE_LIMITS: "off" });
  const [call, ownCall] = await Promise.all([callsOf(writerEmail), callsOf(reader.email)]);
  const [{ user_id: writerId }, { user_id: readerId }] = (await Promise.all([
    call("GET", "/users/me"),
    ownCall("GET", "/users/me"),
  ])) as [Record<string, any>, Record<string, any>];
  await ownCall("PATCH", `/users/${writerId}`, { role: 200 });
  const { stream_id } = await call("GET", "/get_stream_id", { stream: "stage" });
  const { id } = await call("POST", "/messages", { type: "channel", to: stream_id, topic: "texts", content: "first" });
  const png = readFileSync(join(import.meta.dirname, "../support/globe.png"));
  context = { call, writer: writerId, reader: readerId, channelId: stream_id, messageId: id, round: 0, png };
  ownContext = { ...context, call: ownCall };

  browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"] });
  page = await (await browser.newContext({ viewport: { width: 1280, height: 680 } })).newPage();
  page.setDefaultTimeout(60_000);
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") problems.push(message.text());
  });
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (/^https?:$/.test(protocol) && origin !== new URL(host.url).origin) problems.push(request.url());
  });
  page.on("dialog", (dialog) => problems.push(`dialog ${dialog.message()}`));
  await page.goto(host.url);
  await page.getByLabel("Email").fill(reader.email);
  await page.getByLabel("Password").fill(reader.password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await host?.stop();
});

/** Writes a text to each place; resolves with the names of those that took it. */
async function writeTo(all: Readonly<Record<string, Place>>, text: (max: number) => string, where: Context) {
  const taken: string[] = [];
  for (const [name, { max, write }] of Object.entries(all)) {
    const { status, ...reply } = await write(text(max), where);
    expect([name, status < 500, reply]).toEqual([name, true, reply]);
    if (status === 200) taken.push(name);
  }
  return taken;
}

const listedViews = [
  ...["inbox", "recent", "feed", "drafts", "scheduled", "channels", "groups"],
  ...["narrow/is/mentioned", "narrow/is/starred", "narrow/is/dm", "narrow/search/x"],
  ...["profile", "notifications", "appearance", "account", "bots"].map((section) => `settings/${section}`),
  ...["settings", "permissions", "people", "linkifiers", "emoji", "default-channels", "profile-fields", "folders"].map(
    (section) => `organization/${section}`,
  ),
];

/** The views of what the writer wrote. The feed shows the messages of the topic that `lookAround` opens at the first one. */
async function writtenViews(): Promise<string[]> {
  const { streams } = await ownContext.call("GET", "/streams");
  const { topics } = await ownContext.call("GET", `/users/me/${context.channelId}/topics`);
  const newest = Math.max(...(streams as { stream_id: number }[]).map(({ stream_id }) => stream_id));
  const [{ name: topic }] = topics as [{ name: string }];
  return [
    "feed",
    `channels/${newest}`,
    `channels/${context.channelId}`,
    `narrow/channel/${context.channelId}/topic/${encodeURIComponent(topic).replaceAll("%", ".")}`,
    `narrow/dm/${context.writer}-x`,
  ];
}

/** What does not hold of the layout: the page scrolls sideways, or a part of it was pushed away or grew. */
const layoutProblems = () =>
  page.evaluate(() => {
    const found: string[] = [];
    const { innerWidth: width, innerHeight: height } = window;
    const root = document.documentElement;
    if (root.scrollWidth > width) found.push(`the page is ${root.scrollWidth} wide`);
    if (root.scrollHeight > height) found.push(`the page is ${root.scrollHeight} high`);
    const isInside = ({ left, right, top, bottom }: DOMRect) =>
      left >= -1 && right <= width + 1 && top >= -1 && bottom <= height + 1;
    for (const selector of [".top", ".sidebar", ".main", ".people-bar", ".compose", ".view-head", "dialog[open]"]) {
      const part = document.querySelector(selector);
      if (part && !isInside(part.getBoundingClientRect())) found.push(`${selector} is outside the window`);
    }
    const isTooHigh = (selector: string, max: number) => {
      for (const part of document.querySelectorAll(selector))
        if (part.getBoundingClientRect().height > max)
          found.push(`${selector} is ${part.getBoundingClientRect().height} high: ${part.textContent?.slice(0, 60)}`);
    };
    isTooHigh(".top", 60);
    isTooHigh(".view-head", 120);
    isTooHigh(".sidebar .nav", 60);
    isTooHigh(".people-bar .nav", 60);
    isTooHigh(".recipient", 60);
    isTooHigh(".message-head", 60);
    isTooHigh(".rows li", 120);
    for (const part of document.querySelectorAll(".page, .messages, .sidebar, .people-bar"))
      if (part.scrollWidth > part.clientWidth + 1)
        found.push(`${part.className} scrolls sideways: ${part.scrollWidth} in ${part.clientWidth}`);
    return found;
  });

const screenshots = process.env.SKEIN_SCREENSHOTS;

const profile = { profile: ".message-side button" };
/** The history of the first message has all the texts, once all are written. */
const allDialogs = { ...profile, history: ".edited" };

/** Opens views, and dialogs about the first message, and looks at each. */
async function lookAround(
  what: string,
  otherViews: readonly string[] = [],
  dialogs: Readonly<Record<string, string>> = profile,
) {
  const found: string[] = [];
  const look = async (where: string) => {
    const problemsHere = [...(await layoutProblems()), ...problems.splice(0)];
    found.push(...problemsHere.map((problem) => `${where}: ${problem}`));
    if (screenshots)
      await page.screenshot({ path: join(screenshots, `${what} ${where}`.replaceAll(/[^\w%.]/g, "-").concat(".png")) });
  };
  for (const view of [...otherViews, ...(await writtenViews())]) {
    await page.goto(`${host.url}/#${view}`);
    await page.locator("main").getByRole("heading").first().waitFor();
    if (view.startsWith("narrow") || view === "feed") await page.locator(".messages-inner[aria-busy=false]").waitFor();
    await look(view);
  }
  await page.goto(`${host.url}/#narrow/channel/${context.channelId}/topic/texts/near/${context.messageId}`);
  await page.locator(".messages-inner[aria-busy=false]").waitFor();
  await look("near the first message");
  const message = page.locator(`.message[data-message-id="${context.messageId}"]`);
  for (const [dialog, button] of Object.entries(dialogs)) {
    await message.locator(button).click();
    await page.locator("dialog[open] :is(dl, ol li)").first().waitFor();
    await look(dialog);
    await page.keyboard.press("Escape");
    await page.locator("dialog[open]").waitFor({ state: "detached" });
  }
  expect([what, found]).toEqual([what, []]);
  expect(await page.evaluate(() => "scriptOfAMember" in window)).toBe(false);
}

browserTest(
  "texts in every field break no view",
  async () => {
    const takenBy = new Map<string, string[]>();
    for (const [index, [what, text]] of Object.entries(texts).entries()) {
      const round = index + 1;
      const taken = [
        ...(await writeTo(places, text, { ...context, round })),
        ...(await writeTo(ownPlaces, text, { ...ownContext, round })),
      ];
      for (const name of taken) takenBy.set(name, [...(takenBy.get(name) ?? []), what]);
      await lookAround(what);
    }
    await page.goto("about:blank");
    await lookAround("everything", listedViews, allDialogs);
    // Each field took some of the texts, or this would show nothing.
    for (const field of [...Object.keys(places), ...Object.keys(ownPlaces)])
      expect([field, takenBy.get(field)?.length ?? 0]).toEqual([field, expect.toSatisfy((count: number) => count > 4)]);
  },
  600_000,
);

browserTest(
  "Markdown of every kind leaves the other messages in their place",
  async () => {
    const { call, channelId } = context;
    const topic = "markdown";
    const sent = [];
    for (const content of ["before", ...Object.values(markdown), "after"])
      sent.push((await call("POST", "/messages", { type: "channel", to: channelId, topic, content })).status);
    expect(sent.filter((status) => status === 200).length).toBeGreaterThan(Object.keys(markdown).length * 0.8);
    const address = `${host.url}/#narrow/channel/${channelId}/topic/${topic}`;
    await page.goto(address);
    await page.locator(".message .rendered", { hasText: /^before$/ }).waitFor();
    await expect
      .poll(async () => {
        await page.locator("#messages").evaluate((list) => list.scrollTo(0, list.scrollHeight));
        return page.locator(".message .rendered", { hasText: /^after$/ }).count();
      })
      .toBe(1);
    expect([await layoutProblems(), problems]).toEqual([[], []]);
  },
  300_000,
);
