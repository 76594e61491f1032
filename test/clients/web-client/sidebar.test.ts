import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { Channel } from "../../../shared/store/channels/channels.ts";
import { browserTest, violations } from "../../support/browser/browser-test.ts";
import {
  consoleErrors,
  expectNoViolations,
  password,
  signedIn,
  urlOf,
  withBrowser,
} from "../../support/browser/client-pages.ts";
import { unique } from "../../support/unique.ts";
import { aChannel, aPerson, type Person } from "../../support/world.ts";

/** The sidebar as a map of the topics: Hermia looks, Helena writes. */

let [hermia, helena]: Person[] = [];
let channel: Channel;
let page: Page;

withBrowser(async () => {
  [hermia, helena] = [await aPerson("Hermia", { password }), await aPerson("Helena")];
  channel = await aChannel("athens", [hermia, helena]);
});

const send = async (topic: string, content = "The course of true love", to = channel): Promise<number> =>
  (await (helena as Person).do("POST", "/messages", { type: "channel", to: to.id, topic, content })).id;
const topicUrl = (topic: string, of = channel) =>
  urlOf(`#narrow/channel/${of.id}-x/topic/${encodeURIComponent(topic)}`);
const sidebar = () => page.getByRole("navigation", { name: "Channels and views" });
const entry = (of = channel) => sidebar().locator("li.channel", { hasText: of.name });
const topics = (of = channel) => entry(of).locator(".topics a");
const topicNames = (of = channel) => topics(of).locator(".grow").allTextContents();
const topicRow = (topic: string, of = channel) => topics(of).filter({ hasText: topic });

browserTest(
  "a channel opens to all of its topics, newest first, with the current one marked, and stays so once they are read",
  async () => {
    for (let index = 1; index <= 16; index++) await send(`act ${index}`);
    await send("✔ wall");
    await send("moon");
    await send("lion");
    const me = hermia as Person;
    await me.do("POST", `/mark_stream_as_read`, { stream_id: channel.id });
    await me.do("POST", "/user_topics", { stream_id: channel.id, topic: "moon", visibility_policy: 1 });
    await me.do("POST", "/user_topics", { stream_id: channel.id, topic: "lion", visibility_policy: 3 });
    page = await signedIn(me, { viewport: { width: 1440, height: 900 } });
    expect(await topicNames()).toEqual([]);

    await page.goto(topicUrl("act 1"));
    await page.getByText("17 more topics").or(page.getByText("6 more topics")).waitFor();
    expect((await topicNames()).slice(0, 3)).toEqual(["lion", "moon", "✔ wall"]);
    expect(await topics().locator(".mark").allTextContents()).toEqual([" followed", " muted"]);
    // The current topic is the oldest, and is there nevertheless.
    await expect.poll(() => topicRow("act 1").last().getAttribute("aria-current")).toBe("page");
    await expect.poll(() => topicRow("act 1").last().isVisible()).toBe(true);
    await page.getByText("6 more topics").click();
    await expect.poll(async () => (await topicNames()).length).toBe(19);
    await expectNoViolations(page);

    const toggle = page.getByRole("button", { name: `Topics of ${channel.name}` });
    await toggle.click();
    expect(await topicNames()).toEqual(["act 1"]);
    await toggle.click();
    // A topic without messages is there, too, while it is on the screen.
    await page.goto(topicUrl("prologue"));
    await topicRow("prologue").waitFor();
    await page.goto(urlOf("#inbox"));
    await topicRow("prologue").waitFor({ state: "detached" });
  },
);

browserTest("rows stay under the pointer while messages arrive, and move once it has left", async () => {
  await page.goto(topicUrl("act 16"));
  await topicRow("act 16").waitFor();
  const before = await topicNames();
  const pointedAt = topicRow("✔ wall");
  await pointedAt.hover();
  const place = await pointedAt.boundingBox();
  // The pointer goes on moving, because rows may move some seconds after it has stopped.
  const point = setInterval(() => void page.mouse.move((place?.x ?? 0) + 10, (place?.y ?? 0) + 5), 200);
  try {
    await send("act 2", "Another message");
    await send("newcomer");
    await page.locator("#announcements p", { hasText: "newcomer" }).waitFor({ state: "attached" });
    expect(await topicNames()).toEqual(before);
    expect(await pointedAt.boundingBox()).toEqual(place);
  } finally {
    clearInterval(point);
  }

  // A menu that is open stays open, and in its place.
  await entry().locator(".nav-row").first().hover();
  await page.getByRole("button", { name: `Actions for ${channel.name}` }).click();
  await page.mouse.move(900, 400);
  await send("latecomer");
  await page.locator("#announcements p", { hasText: "latecomer" }).waitFor({ state: "attached" });
  await page.getByRole("menuitem", { name: "Leave" }).waitFor();
  expect(await topicNames()).toEqual(before);
  await page.keyboard.press("Escape");
  await page.mouse.move(910, 400);
  await page.locator("#messages").click();
  await page.keyboard.press("Shift");
  await expect.poll(async () => (await topicNames()).slice(0, 3)).toEqual(["latecomer", "newcomer", "act 2"]);
});

browserTest("a topic that is renamed, and one that is deleted, are followed", async () => {
  const id = await send("mustardseed");
  await topicRow("mustardseed").waitFor();
  const move = { topic: "peaseblossom", propagate_mode: "change_all", send_notification_to_new_thread: false };
  await (helena as Person).do("PATCH", `/messages/${id}`, move);
  await topicRow("peaseblossom").waitFor();
  await topicRow("mustardseed").waitFor({ state: "detached" });
});

browserTest("numbers say how much they matter, once, and the current conversation with a person is there", async () => {
  const other = await aChannel("woods", [hermia as Person, helena as Person]);
  await send("plain", "So we grew together", other);
  await send("called", `See @**Hermia|${hermia?.id}**`, other);
  await (hermia as Person).do("POST", "/user_topics", { stream_id: other.id, topic: "heeded", visibility_policy: 3 });
  await send("heeded", "Like to a double cherry", other);
  const countClass = async (topic: string) => topicRow(topic, other).locator(".count").getAttribute("class");
  await topicRow("heeded", other).locator(".count").waitFor();
  expect(await Promise.all(["plain", "called", "heeded"].map(countClass))).toEqual([
    "count plain",
    "count personal",
    "count followed",
  ]);
  // The topics below add up to the channel's number.
  expect(await entry(other).locator(".nav-row").first().locator(".count").count()).toBe(0);
  await entry(other)
    .getByRole("button", { name: `Topics of ${other.name}` })
    .click();
  await expect.poll(async () => (await topicNames(other)).length).toBe(3);

  await page.goto(urlOf(`#narrow/dm/${helena?.id}-dm`));
  const current = sidebar().locator('a[aria-current="page"]');
  await expect.poll(() => current.textContent()).toContain("Helena");
  await expectNoViolations(page);
  expect(consoleErrors).toEqual([]);
});

browserTest("sections fold to what is open and stay so, and the links below them stay in sight", async () => {
  const section = (name: string) =>
    sidebar().locator("section", { has: page.getByRole("button", { name, exact: true }) });
  const fold = (name: string) => section(name).getByRole("button", { name, exact: true }).click();
  const names = (name: string) => section(name).locator("li > .nav .grow, .nav-row > .nav .grow").allTextContents();
  await entry().waitFor();
  await fold("Channels");
  await expect.poll(() => names("Channels")).toEqual([]);
  const inAll = await sidebar()
    .getByRole("link", { name: /^Inbox/ })
    .locator(".count")
    .textContent();
  await expect.poll(() => section("Channels").locator("header .count").textContent()).toBe(inAll);
  await fold("Direct messages");
  await expect.poll(() => names("Direct messages")).toEqual(["Helena"]);
  await expectNoViolations(page);
  await page.reload();
  await expect.poll(() => names("Direct messages")).toEqual(["Helena"]);
  expect(await names("Channels")).toEqual([]);

  await page.goto(topicUrl("lion"));
  await expect.poll(() => names("Channels")).toContain("lion");
  expect(await names("Channels")).toContain(channel.name);
  expect((await names("Channels")).join()).not.toContain("woods");
  await page.locator("#sidebar-filter").fill("woods");
  await expect.poll(async () => (await names("Channels"))[0]).toContain("woods");
  await page.locator("#sidebar-filter").fill("");
  await fold("Channels");
  await expect.poll(async () => (await names("Channels")).join()).toContain("woods");
  await fold("Direct messages");

  await page.setViewportSize({ width: 1440, height: 600 });
  const settings = await sidebar().getByRole("link", { name: "Settings" }).boundingBox();
  expect((settings?.y ?? 0) + (settings?.height ?? 0)).toBeLessThanOrEqual(600);
  await page.goto(topicUrl("act 12"));
  await expect.poll(() => sidebar().locator('a[aria-current="page"]').textContent()).toContain("act 12");
  const foot = await sidebar().locator(".sidebar-foot").boundingBox();
  const currentBottom = async () => {
    const row = await sidebar().locator('a[aria-current="page"]').boundingBox();
    return (row?.y ?? 0) + (row?.height ?? 0);
  };
  await expect.poll(currentBottom).toBeLessThanOrEqual(foot?.y ?? 0);
  await page.setViewportSize({ width: 1440, height: 900 });
});

browserTest("the sidebar of a phone in dark mode has no violations and no horizontal scrolling", async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: "dark" });
  await page.goto(topicUrl("lion"));
  await page.getByRole("button", { name: "Channels and views" }).click();
  await expect.poll(async () => (await sidebar().boundingBox())?.x).toBe(0);
  await topicRow("lion").waitFor();
  // axe takes links to views for links within the page once they are scrolled out of sight.
  expect((await violations(page)).filter((violation) => !violation.startsWith("skip-link"))).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
});

browserTest("all channels and one's own status are at hand", async () => {
  page = await signedIn(hermia as Person, { viewport: { width: 1440, height: 900 } });
  await sidebar().getByRole("link", { name: "All channels" }).click();
  await page.getByRole("heading", { name: "Channels", level: 1 }).waitFor();
  const dialog = page.getByRole("dialog", { name: "Your status" });
  const pick = async (emoji: string) => {
    await page.getByRole("button", { name: "Your account" }).click();
    await page.getByRole("menuitem", { name: "Set your status" }).click();
    await dialog.getByRole("button", { name: "Choose an emoji for your status" }).click();
    await page.getByRole("searchbox", { name: "Search emoji" }).fill(emoji);
    await page.getByRole("button", { name: emoji, exact: true }).click();
    await page.locator(".emoji-picker").waitFor({ state: "detached" });
  };
  const saved: (string | null)[] = [];
  page.on("request", (request) => request.url().endsWith("/users/me/status") && saved.push(request.postData()));
  await pick("sob");
  await dialog.getByLabel("Status", { exact: true }).press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Your account" }).click();
  await page.getByRole("menuitem", { name: "Set your status" }).click();
  await dialog.getByRole("button", { name: "On vacation" }).click();
  await expectNoViolations(page);
  await dialog.getByRole("button", { name: "Set", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  const vacation = (await (helena as Person).do("GET", `/users/${hermia?.id}/status`)).status;
  expect(vacation).toMatchObject({ status_text: "On vacation", emoji_name: "palm_tree", emoji_code: "1f334" });
  await pick("dizzy");
  const text = unique("In a wood");
  await dialog.getByLabel("Status", { exact: true }).fill(text);
  await expectNoViolations(page);
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  const status = async () => (await (helena as Person).do("GET", `/users/${hermia?.id}/status`)).status;
  await expect.poll(status).toMatchObject({ emoji_name: "dizzy", status_text: text });
  // What was picked in the dialog that was closed is not.
  expect(saved).toHaveLength(2);
  expect(consoleErrors).toEqual([]);
});
