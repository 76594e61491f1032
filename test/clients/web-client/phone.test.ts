import type { CDPSession, Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { browserTest } from "../../support/browser/browser-test.ts";
import { consoleErrors, expectNoViolations, nextFrames, urlOf } from "../../support/browser/client-pages.ts";
import { actsOf, twoPeople } from "../../support/browser/two-people.ts";
import { aPerson } from "../../support/world.ts";

/** The web client under a thumb: Beatrice reads on a phone, Benedick writes. */

const small = { width: 320, height: 640 };
const phone = { width: 390, height: 844 };

const people = twoPeople({ reader: "Beatrice", writer: "Benedick", channel: "messina" }, undefined, {
  ...{ viewport: phone, isMobile: true, hasTouch: true },
});
const { send, row, field } = actsOf(people);
const bar = () => people.page.getByRole("navigation", { name: "Most used" });
const heading = (name: string) => people.page.getByRole("heading", { name, level: 1 });

async function openTopic(topic: string, newest: number) {
  await people.page.goto(urlOf(`#narrow/channel/${people.channel.id}-x/topic/${topic}`));
  await row(newest).waitFor();
  await nextFrames(people.page);
}

interface Point {
  x: number;
  y: number;
}

let touching: { page: Page; session: CDPSession } | undefined;

/** Moves a finger over the page, in steps as a hand does. */
async function drag(from: Point, by: Point, { holdMs = 0, fingers = 1 } = {}): Promise<void> {
  const { page } = people;
  touching ??= { page, session: await page.context().newCDPSession(page) };
  const { session } = touching;
  const steps = 8;
  const at = (step: number) =>
    Array.from({ length: fingers }, (_, finger) => ({
      x: from.x + (by.x * step) / steps,
      y: from.y + (by.y * step) / steps + finger * 60,
      id: finger,
    }));
  await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: at(0) });
  if (holdMs > 0) await page.waitForFunction((until) => performance.now() > until, await later(page, holdMs));
  for (let step = 1; step <= steps; step++)
    await session.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: at(step) });
  await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
}

const later = (page: Page, ms: number) => page.evaluate((after) => performance.now() + after, ms);

async function middleOf(element: Locator): Promise<Point> {
  const box = await element.boundingBox();
  if (!box) throw new Error("The element is not on the screen");
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

browserTest("a bar at the bottom leads to the views that one needs most", async () => {
  const { page, reader, writer } = people;
  await send("wit", `@**Beatrice|${reader.id}** thou and I are too wise to woo peaceably`);
  await writer.do("POST", "/messages", {
    type: "direct",
    to: [reader.id],
    content: "I do love nothing so well as you",
  });
  for (const [screen, colorScheme] of [
    [phone, "light"],
    [small, "dark"],
  ] as const) {
    await page.setViewportSize(screen);
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await bar().getByRole("link", { name: "Inbox" }).click();
    await heading("Inbox").waitFor();
    await expectNoViolations(page);
    await bar().getByRole("link", { name: "Recent" }).click();
    await heading("Recent conversations").waitFor();
    await bar()
      .getByRole("link", { name: /^Direct\s*\d* ?/ })
      .click();
    await heading("Direct messages").waitFor();
    await page.locator(".message", { hasText: "nothing so well" }).waitFor();
    await bar().getByRole("link", { name: "Mentioned" }).click();
    await page.locator(".message", { hasText: "too wise to woo" }).waitFor();
    await expectNoViolations(page);
    // All of it is on the screen, and nothing is wider than that.
    expect((await bar().boundingBox())?.y).toBe(screen.height - 54);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);

    const channels = bar().getByRole("button", { name: "Channels" });
    await channels.click();
    const sidebar = page.getByRole("navigation", { name: "Channels and views" });
    await sidebar.getByRole("link", { name: people.channel.name }).first().waitFor();
    await expectNoViolations(page);
    await channels.click();
    await sidebar.waitFor({ state: "hidden" });
  }
  // The keyboard needs the room.
  await page.goto(urlOf(`#narrow/channel/${people.channel.id}-x/topic/wit`));
  await field().focus();
  await bar().waitFor({ state: "hidden" });
  await field().blur();
  await bar().waitFor();
  await page.setViewportSize({ width: 1024, height: 700 });
  await bar().waitFor({ state: "hidden" });
  await page.setViewportSize(phone);
  expect(consoleErrors).toEqual([]);
});

browserTest(
  "a button and a swipe to the right go back, and to the first view where there is nothing before",
  async () => {
    const { page } = people;
    const id = await send("ear", "I will hide me in the arbour");
    await page.goto(urlOf("#inbox"));
    await heading("Inbox").waitFor();
    await openTopic("ear", id);
    await page.getByRole("button", { name: "Back" }).click();
    await heading("Inbox").waitFor();
    await openTopic("ear", id);
    const start = await middleOf(row(id));
    // Too short, and at the edge, where the system has a gesture of its own.
    await drag(start, { x: 40, y: 0 });
    await drag({ ...start, x: 8 }, { x: 150, y: 0 });
    await nextFrames(page);
    await row(id).waitFor();
    await drag(start, { x: 150, y: 10 });
    await heading("Inbox").waitFor();

    const other = await page.context().newPage();
    await other.goto(urlOf(`#narrow/channel/${people.channel.id}-x/topic/ear`));
    await other.getByRole("button", { name: "Back" }).click();
    await other.getByRole("heading", { name: "Inbox", level: 1 }).waitFor();
    await other.close();
    expect(consoleErrors).toEqual([]);
  },
);

browserTest("a swipe to the left on a message quotes it, as its button does", async () => {
  const { page } = people;
  const id = await send("love", "I love thee against my will");
  await openTopic("love", id);
  await drag(await middleOf(row(id)), { x: -150, y: 5 });
  await expect.poll(() => field().inputValue()).toContain("I love thee against my will");
  expect(await row(id).evaluate((element) => element.style.translate)).toBe("");
  await field().fill("");
  await page.locator("#messages").focus();
  await row(id).tap();
  await row(id).getByRole("button", { name: "Quote and reply" }).click();
  await expect.poll(() => field().inputValue()).toContain("I love thee against my will");
  await field().fill("");
  expect(consoleErrors).toEqual([]);
});

browserTest("gestures hinder neither scrolling, in any direction, nor selecting, nor two fingers", async () => {
  const { page } = people;
  for (let line = 0; line < 12; line++) await send("dogberry", `Write down that I am an ass\n\n${line}\n\nremember`);
  const text = await send("dogberry", "كلب يعض القمر في الليل الطويل جدا");
  const code = await send("dogberry", `\`\`\`\n${"comparisons are odorous ".repeat(12)}\n\`\`\``);
  await page.goto(urlOf("#inbox"));
  await heading("Inbox").waitFor();
  await openTopic("dogberry", code);
  const list = page.locator("#messages");
  const scrolled = () => list.evaluate((element) => element.scrollTop);
  const stays = async () => {
    await nextFrames(page);
    expect(await field().inputValue()).toBe("");
    expect(page.url()).toContain("topic/dogberry");
  };
  const toEnd = async () => {
    await list.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
    await nextFrames(page);
  };
  await toEnd();
  const end = await scrolled();
  await drag(await middleOf(row(text)), { x: 30, y: 160 });
  await expect.poll(scrolled).toBeLessThan(end - 60);
  await stays();
  await toEnd();

  // Code that is wider than the screen is moved itself.
  const block = row(code).locator("pre");
  await block.scrollIntoViewIfNeeded();
  await drag(await middleOf(block), { x: -140, y: 0 });
  await expect.poll(() => block.evaluate((element) => element.scrollLeft)).toBeGreaterThan(60);
  await stays();

  // Slanted, after a long press, with two fingers, and while something is selected.
  const start = await middleOf(row(text));
  await drag(start, { x: -120, y: 100 });
  await drag(start, { x: -150, y: 0 }, { fingers: 2 });
  await stays();
  await row(text).evaluate((element) => getSelection()?.selectAllChildren(element));
  await drag(await middleOf(row(text)), { x: -150, y: 0 });
  await stays();
  await page.evaluate(() => getSelection()?.removeAllRanges());
  await row(text).scrollIntoViewIfNeeded();
  await drag(await middleOf(row(text)), { x: -150, y: 0 });
  await expect.poll(() => field().inputValue()).toContain("القمر");
  await field().fill("");
  expect(consoleErrors).toEqual([]);
});

browserTest("a pull at the top reloads an installed page, where the browser does not", async () => {
  const { page } = people;
  await page.goto(urlOf("#inbox"));
  await heading("Inbox").waitFor();
  const mark = () => page.evaluate(() => Object.assign(window, { marked: true }));
  const isMarked = () => page.evaluate(() => "marked" in window);
  const pull = (y: number) => drag({ x: 200, y: 150 }, { x: 0, y });
  await mark();
  await pull(300);
  await nextFrames(page);
  expect(await isMarked()).toBe(true);

  // Chromium emulates no installed page.
  await page.addInitScript(() => {
    const { matchMedia } = window;
    window.matchMedia = (query) => matchMedia.call(window, query.includes("standalone") ? "all" : query);
  });
  await page.reload();
  await heading("Inbox").waitFor();
  await mark();
  await pull(60);
  await nextFrames(page);
  expect(await isMarked()).toBe(true);
  await pull(300);
  await expect.poll(isMarked).toBe(false);
  await heading("Inbox").waitFor();
  // The same without a gesture.
  await mark();
  await page.getByRole("button", { name: "Your account" }).click();
  await page.getByRole("menuitem", { name: "Reload" }).click();
  await expect.poll(isMarked).toBe(false);
  await heading("Inbox").waitFor();
  expect(consoleErrors).toEqual([]);
});

browserTest("what is chosen by a tap is large enough for a thumb, and long names are shown in full", async () => {
  const { page, channel } = people;
  const dogberry = await aPerson("Constable Dogberry of the Prince's Watch in Messina");
  await dogberry.do("POST", "/users/me/subscriptions", { subscriptions: [{ name: channel.name }] });
  const id = await send("watch", "You are to bid any man stand", dogberry);
  await openTopic("watch", id);
  const isWhole = (element: HTMLElement) => element.scrollWidth <= element.clientWidth;
  expect(await row(id).locator(".sender").evaluate(isWhole)).toBe(true);
  await page.goto(urlOf("#settings/notifications"));
  const boxes = page.locator("label.check");
  await boxes.first().waitFor();
  const heights = await boxes.evaluateAll((labels) => labels.map((label) => label.getBoundingClientRect().height));
  expect(Math.min(...heights)).toBeGreaterThanOrEqual(44);
  expect(consoleErrors).toEqual([]);
});

browserTest("what the box adds to a message can be tapped while nothing is written", async () => {
  const { page } = people;
  await openTopic("sonnet", await send("sonnet", "Will you come presently?"));
  const sendButton = page.getByRole("button", { name: "Send", exact: true });
  await field().tap();
  const chooser = page.waitForEvent("filechooser");
  await page.getByTitle("Add files").tap();
  await (await chooser).setFiles({
    name: "halting.txt",
    mimeType: "text/plain",
    buffer: Buffer.from("a halting sonnet"),
  });
  await expect.poll(() => field().inputValue()).toContain("halting.txt");
  await field().fill("");
  await page.getByRole("button", { name: "Insert an emoji" }).tap();
  await page.getByRole("searchbox", { name: "Search emoji" }).fill("tada");
  await page.getByRole("button", { name: "tada", exact: true }).tap();
  await expect.poll(() => field().inputValue()).toBe(":tada: ");
  await field().fill("");
  await page.getByRole("button", { name: "Poll or to-do list" }).tap();
  await page.getByRole("menuitem", { name: "Poll" }).tap();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).tap();
  await sendButton.waitFor();
  // The box is one line again when something else is tapped.
  await page.locator("#messages").tap({ position: { x: 200, y: 20 } });
  await sendButton.waitFor({ state: "hidden" });
  expect(consoleErrors).toEqual([]);
});

browserTest("the button to messages below covers none of a long message's buttons", async () => {
  const { page } = people;
  const long = await send("Long", "line\n".repeat(100));
  for (let count = 0; count < 3; count++) await send("Long", "line\n".repeat(100));
  await openTopic("Long", long);
  const more = row(long).getByRole("button", { name: "Show more" });
  await more.click();
  const less = row(long).getByRole("button", { name: "Show less" });
  // What follows is unread; further away, the button that goes to the newest message is in the same place.
  const below = page.getByRole("button", { name: /new below$/ });
  await page.locator("#messages").evaluate((list) => list.scrollTo(0, 0));
  await less.evaluate((button) => button.scrollIntoView({ block: "end" }));
  await below.waitFor();

  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const bottom = ((await below.boundingBox()) as Box).y;
    const { y } = (await less.boundingBox()) as Box;
    await page.locator("#messages").evaluate((list, by) => list.scrollBy(0, by), y - bottom);
    await nextFrames(page);
    const [above, button] = [(await below.boundingBox()) as Box, (await less.boundingBox()) as Box];
    expect(Math.abs(above.y - button.y)).toBeLessThan(60);
    expect(above.x).toBeGreaterThan(button.x + button.width);
  }
});

interface Box {
  x: number;
  y: number;
  width: number;
}
