import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { Channel } from "../../../shared/store/channels/channels.ts";
import { browserTest, violations } from "../../support/browser/browser-test.ts";
import {
  consoleErrors,
  nextFrames,
  password,
  signedIn,
  urlOf,
  withBrowser,
} from "../../support/browser/client-pages.ts";
import { aChannel, aPerson, type Person } from "../../support/world.ts";

/** The directory of incoming integrations in the settings: its URL works as it is copied. */

let viola: Person;
let channel: Channel;
let page: Page;

withBrowser(async () => {
  viola = await aPerson("Viola", { password });
  channel = await aChannel("illyria", [viola]);
  await viola.do("POST", "/bots", { full_name: "Feste", short_name: `feste-${viola.id}`, bot_type: 2 });
  page = await signedIn(viola);
});

browserTest("a service is set up with the URL that the settings show, and posts by it", async () => {
  await page.goto(urlOf("#settings/bots"));
  const form = page.locator("form", { hasText: "Incoming integrations" });
  await form.getByLabel("Service").selectOption({ label: "Slack-compatible webhook" });
  await form.getByLabel("Channel").selectOption({ label: channel.name });
  await form.getByLabel(/^Topic/).fill("deployments & more");
  await form.getByRole("button", { name: "Show the URL" }).click();
  const url = await form.getByLabel("URL to copy").inputValue();
  await form.getByText("Where the service asks for a Slack webhook URL").waitFor();
  expect(await violations(page)).toEqual([]);

  const reply = await fetch(url, { method: "POST", body: '{"text":"Deployed."}' });
  expect(reply.status).toBe(200);
  const narrow = [{ operator: "channel", operand: channel.id }];
  const params = { anchor: "newest", num_before: 1, num_after: 0, narrow, apply_markdown: false };
  const { messages } = await viola.do("GET", "/messages", params);
  expect(messages[0]).toMatchObject({ content: "Deployed.", subject: "deployments & more", sender_full_name: "Feste" });

  await form.getByLabel("Service").selectOption({ label: "GitHub" });
  expect(await form.getByLabel("URL to copy").count()).toBe(0);
  for (const [width, height, colorScheme] of [
    [1440, 900, "light"],
    [1024, 700, "dark"],
    [390, 844, "dark"],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    await form.getByRole("button", { name: "Show the URL" }).click();
    await form.getByLabel("URL to copy").waitFor();
    expect(await violations(page)).toEqual([]);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
    await form.getByLabel("Service").selectOption({ label: width > 1024 ? "Alertmanager" : "GitHub" });
  }
  expect(consoleErrors).toEqual([]);
});

browserTest("a URL that comes after another choice is not shown", async () => {
  await page.goto(urlOf("#settings/bots"));
  const form = page.locator("form", { hasText: "Incoming integrations" });
  const { promise: isChosen, resolve: release } = Promise.withResolvers<void>();
  await page.route("**/api/v1/bots?*", async (route) => {
    await isChosen;
    await route.continue();
  });
  const answered = page.waitForResponse("**/api/v1/bots?*");
  await form.getByRole("button", { name: "Show the URL" }).click();
  await form.getByLabel("Channel").selectOption({ label: channel.name });
  release();
  await (await answered).finished();
  await nextFrames(page);
  expect(await form.getByLabel("URL to copy").count()).toBe(0);
  await page.unroute("**/api/v1/bots?*");
  expect(consoleErrors).toEqual([]);
});

browserTest("events are chosen, requests verified, and a template tried out with what came last", async () => {
  await page.setViewportSize({ width: 1024, height: 700 });
  await page.goto(urlOf("#settings/bots"));
  const form = page.locator("form", { hasText: "Incoming integrations" });
  const post = async (url: string, payload: unknown) =>
    (await fetch(url, { method: "POST", body: JSON.stringify(payload), headers: { "x-github-event": "star" } })).status;
  const shownUrl = async () => {
    await form.getByRole("button", { name: "Show the URL" }).click();
    return form.getByLabel("URL to copy").inputValue();
  };
  await form.getByLabel("Service").selectOption({ label: "GitHub" });
  await form.getByLabel("Channel").selectOption({ label: channel.name });
  await form.getByLabel(/^Topic/).fill("");
  await form.getByLabel(/^Events/).selectOption({ label: "Only selected" });
  for (const event of ["push", "star"]) await form.getByLabel(event, { exact: true }).check();
  const github = await shownUrl();
  expect(JSON.parse(new URL(github).searchParams.get("only_events") ?? "")).toEqual(["push", "star"]);
  expect(await post(github, {})).toBe(200);
  const verification = page.locator("form", { hasText: "Verify requests" });
  await verification.getByLabel(/^Secret/).fill("s3cret");
  await verification.getByRole("button", { name: "Save the secret" }).click();
  await page.getByText("The secret is saved.").waitFor();
  expect(await post(github, {})).toBe(401);
  expect(await violations(page)).toEqual([]);
  await verification.getByRole("button", { name: "Stop verifying" }).click();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await page.getByText("Requests are no longer verified.").waitFor();
  expect(await post(github, {})).toBe(200);

  await form.getByLabel("Service").selectOption({ label: "Generic" });
  const template = page.locator("form", { hasText: "Try it out" });
  await template.getByText("Nothing was received").waitFor();
  const generic = await shownUrl();
  expect(await post(generic, { app: "shop", version: "1.2" })).toBe(200);
  await template.getByLabel("Topic").fill("{{app}} releases");
  await template.getByLabel("Message, in Markdown").fill("**{{version}}** is out{{#oops}}");
  await template.getByRole("button", { name: "Try it out" }).click();
  await template.getByText("Unclosed section").waitFor();
  await template.getByLabel("Message, in Markdown").fill("**{{version}}** is out");
  await template.getByRole("button", { name: "Try it out" }).click();
  await template.getByText("shop releases").waitFor();
  await template.getByText("1.2 is out").waitFor();
  expect(await violations(page)).toEqual([]);
  await template.getByRole("button", { name: "Save" }).click();
  await page.getByText("The next request will use this template.").waitFor();
  expect(await post(generic, { app: "shop", version: "1.3" })).toBe(200);
  const narrow = [{ operator: "channel", operand: channel.id }];
  const params = { anchor: "newest", num_before: 1, num_after: 0, narrow, apply_markdown: false };
  const { messages } = await viola.do("GET", "/messages", params);
  expect(messages[0]).toMatchObject({ content: "**1.3** is out", subject: "shop releases" });
  // What was saved is there when the page is opened again.
  await page.reload();
  // Nor can it be overwritten before it has come.
  await page.route("**/template_preview", (route) =>
    route.fulfill({ status: 400, json: { result: "error", code: "BAD_REQUEST", msg: "Come again later." } }),
  );
  await form.getByLabel("Service").selectOption({ label: "Generic" });
  const failure = page.getByRole("alert").filter({ hasText: "Come again later." });
  await failure.waitFor();
  expect(await page.getByRole("button", { name: "Save", exact: true }).count()).toBe(0);
  expect(await violations(page)).toEqual([]);
  await page.unroute("**/template_preview");
  await failure.getByRole("button", { name: "Try again" }).click();
  await expect.poll(() => template.getByLabel("Topic").inputValue()).toBe("{{app}} releases");
  expect(consoleErrors.filter((line) => !line.includes("400"))).toEqual([]);
});
