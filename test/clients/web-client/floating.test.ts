import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import type { Channel } from "../../../shared/store/channels/channels.ts";
import { browserTest } from "../../support/browser/browser-test.ts";
import {
  consoleErrors,
  expectNoViolations,
  nextFrames,
  password,
  signedIn,
  urlOf,
  withBrowser,
} from "../../support/browser/client-pages.ts";
import { upload } from "../../support/files.ts";
import { aChannel, aPerson, type Person } from "../../support/world.ts";

/** Menus, pickers, suggestions and pictures in the web client: Viola reads on screens of all sizes, Orsino writes. */

let [viola, orsino]: Person[] = [];
let channel: Channel;
let page: Page;

const wide = { width: 1440, height: 900 };
const screens = [wide, { width: 1024, height: 700 }, { width: 390, height: 844 }, { width: 320, height: 480 }];

withBrowser(async () => {
  [viola, orsino] = [await aPerson("Viola", { password }), await aPerson("Orsino")];
  channel = await aChannel("illyria", [viola, orsino]);
  page = await signedIn(viola as Person, { viewport: wide });
});

const send = async (topic: string, content: string, sender = orsino as Person): Promise<number> =>
  (await sender.do("POST", "/messages", { type: "channel", to: channel.id, topic, content })).id;
const row = (id: number) => page.locator(`[data-message-id="${id}"]`);
const field = () => page.getByLabel("Message", { exact: true });
const picker = () => page.getByRole("dialog", { name: "Emoji", exact: true });

async function openTopic(topic: string, newest: number) {
  await page.goto(urlOf(`#narrow/channel/${channel.id}-x/topic/${topic}`));
  await row(newest).waitFor();
}

/** Which of the corners of an element something else covers, clips or leaves outside of the screen. */
const hiddenCorners = (of: Locator) =>
  of.evaluate((element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const inset = 6;
    const corners = { left: left + inset, right: right - inset, top: top + inset, bottom: bottom - inset };
    return (["left", "right"] as const).flatMap((x) =>
      (["top", "bottom"] as const).flatMap((y) =>
        element.contains(document.elementFromPoint(corners[x], corners[y])) ? [] : [`${y} ${x}`],
      ),
    );
  });

browserTest("nothing that floats is cut off or covered, at any size of the screen", { timeout: 180_000 }, async () => {
  const ids = [await send("music", "If music be the food of love"), await send("music", "That strain again")];
  const last = row(ids[1] as number);
  const expectWhole = async (what: string, floating: Locator) => {
    await floating.waitFor();
    const { width, height } = page.viewportSize() ?? wide;
    expect([what, width, height, await hiddenCorners(floating)]).toEqual([what, width, height, []]);
  };
  for (const [index, screen] of screens.entries()) {
    await page.setViewportSize(screen);
    await page.emulateMedia({ colorScheme: index % 2 === 0 ? "light" : "dark" });
    await openTopic("music", ids[1] as number);
    for (const message of [row(ids[0] as number), last]) {
      await message.focus();
      await message.getByRole("button", { name: "More" }).click();
      await expectWhole("the menu of a message", page.getByRole("menu"));
      await page.keyboard.press("Escape");
      await page.locator(".menu-list").waitFor({ state: "detached" });
    }
    await last.getByRole("button", { name: "React", exact: true }).click();
    await expectWhole("the picker", picker());
    await picker().getByRole("button", { name: "Flags", exact: true }).waitFor();
    await expectNoViolations(page);
    // The button that opens the picker closes it, too.
    await page.keyboard.press("Escape");
    await picker().waitFor({ state: "detached" });

    await field().fill("");
    await field().pressSequentially("@ors");
    await expectWhole("the suggestions", page.getByRole("listbox", { name: "Suggestions" }));
    await field().fill("");

    if (screen.width <= 760) await page.getByRole("button", { name: "Channels and views" }).click();
    const entry = page.getByRole("navigation").locator("li.channel", { hasText: channel.name }).first();
    await entry.locator(".nav-row").first().hover();
    await page.getByRole("button", { name: `Actions for ${channel.name}` }).click();
    await expectWhole("the menu of a channel", page.getByRole("menu"));
    await page.keyboard.press("Escape");
    await page.goto(urlOf("#inbox"));
    await page.getByRole("button", { name: "Your account" }).click();
    await expectWhole("the own menu", page.getByRole("menu"));
    await page.keyboard.press("Escape");
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(wide);
});

browserTest("a menu closes by its button, by a click elsewhere and by navigating, and so does a dialog", async () => {
  const id = await send("exits", "Enough; no more");
  await openTopic("exits", id);
  const more = row(id).getByRole("button", { name: "More" });
  // The browser hides a menu at once, and reports it to the page a moment later.
  const menu = page.locator(".menu-list");
  for (const close of [() => more.click(), () => page.mouse.click(500, 300), () => page.goto(urlOf("#inbox"))]) {
    await row(id).hover();
    await more.click();
    await menu.waitFor();
    await close();
    await menu.waitFor({ state: "detached" });
  }
  await openTopic("exits", id);
  await page.locator("body").press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).getByText("Bold, while writing").waitFor();
  await page.goBack();
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor({ state: "detached" });
});

browserTest("emoji are found by category and arrow keys, and those used last are at one click", async () => {
  const id = await send("emoji", "Present mirth hath present laughter");
  await openTopic("emoji", id);
  const focusedName = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
  await row(id).hover();
  await row(id).getByRole("button", { name: "React", exact: true }).click();
  const grinning = picker().getByRole("button", { name: "grinning", exact: true });
  await grinning.waitFor();
  const names = () =>
    picker()
      .locator("[data-code]")
      .evaluateAll((buttons) => buttons.map((button) => button.getAttribute("aria-label")));
  await expect.poll(async () => (await names()).length).toBeGreaterThan(1800);
  const all = await names();
  await page.keyboard.press("ArrowDown");
  expect(await focusedName()).toBe(all[0]);
  await page.keyboard.press("ArrowUp");
  expect(await focusedName()).toBe("Search emoji");
  // The first of its category, which comes after those that other files have added to the organization.
  await grinning.focus();
  const visited = [await focusedName()];
  for (const key of ["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"]) {
    await page.keyboard.press(key);
    visited.push(await focusedName());
  }
  const first = all.indexOf("grinning");
  expect(visited).toEqual([0, 1, 9, 8, 0].map((index) => all[first + index]));

  await picker().getByRole("button", { name: "Animals and nature" }).click();
  const fox = picker().getByRole("button", { name: "fox", exact: true });
  await expect.poll(() => hiddenCorners(fox)).toEqual([]);
  await fox.click();
  await row(id).locator(".reaction", { hasText: "🦊" }).waitFor();
  await picker().waitFor({ state: "detached" });

  await page.reload();
  await row(id).hover();
  const again = row(id).getByRole("button", { name: "React with :fox:" });
  await again.click();
  await row(id).locator(".reaction", { hasText: "🦊" }).waitFor({ state: "detached" });
  await row(id).getByRole("button", { name: "React", exact: true }).click();
  const recent = picker().getByRole("region", { name: "Recently used" });
  expect(await recent.getByRole("button").first().getAttribute("aria-label")).toBe("fox");
  await page.keyboard.press("Escape");
});

browserTest("a picker that is opened while that of another message is open stays open", async () => {
  const [above, below] = [await send("pickers", "Say I do speak with her"), await send("pickers", "What then?")];
  await (orsino as Person).do("POST", `/messages/${above}/reactions`, { emoji_name: "fox" });
  await openTopic("pickers", below);
  await row(below).hover();
  await row(below).getByRole("button", { name: "React", exact: true }).click();
  await row(below).locator(".emoji-picker").waitFor();
  await row(above).getByRole("button", { name: "Add a reaction" }).click();
  await row(above).locator(".emoji-picker").waitFor();
  await row(below).locator(".emoji-picker").waitFor({ state: "detached" });
  await nextFrames(page);
  expect(await row(above).locator(".emoji-picker").isVisible()).toBe(true);
  await page.keyboard.press("Escape");
  await picker().waitFor({ state: "detached" });
});

browserTest("a picture opens large, with its neighbours and a zoom, and closes by keys", async () => {
  const content = readFileSync(join(import.meta.dirname, "../../support/globe.png"));
  const links = [];
  for (const name of ["orsino.png", "olivia.png", "cesario.png"]) {
    const url = await upload(orsino as Person, name, content);
    links.push(`[${name}](${url})`);
  }
  const [orsinos, olivias, cesarios] = links;
  const id = await send("pictures", `${orsinos}\n\n${olivias}\n\n\`\`\`spoiler Who it is\n${cesarios}\n\`\`\``);
  await openTopic("pictures", id);
  const previews = row(id).locator(".message_inline_image a");
  expect(await previews.count()).toBe(3);
  await previews.first().click();
  const first = page.getByRole("dialog", { name: "orsino.png" });
  const picture = page.locator(".lightbox img");
  await first.waitFor();
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
  const width = async () => (await picture.boundingBox())?.width ?? 0;
  const before = await width();
  await page.keyboard.press("+");
  await expect.poll(width).toBeGreaterThan(before * 1.4);
  await page.keyboard.press("ArrowRight");
  await page.getByRole("dialog", { name: "olivia.png" }).waitFor();
  // The next one is in a closed spoiler.
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowLeft");
  await first.waitFor();
  await expect.poll(width).toBe(before);
  await expectNoViolations(page);
  await page.keyboard.press("Escape");
  await page.locator(".lightbox").waitFor({ state: "detached" });
  expect(await previews.first().evaluate((link) => link === document.activeElement)).toBe(true);
});

browserTest("code is readable in both themes, and each paragraph has the direction of its text", async () => {
  const code = '```python\n# a comment\ndef play(times: int) -> str:\n    return "food" * 3.5 if times else None\n```';
  const diff = "```diff\n- ill\n+ well\n```";
  const id = await send("code", `${code}\n\n${diff}\n\nשלום עולם\n\nA word`);
  await openTopic("code", id);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await expectNoViolations(page);
  }
  await page.emulateMedia({ colorScheme: "light" });
  const directions = await row(id)
    .locator(".rendered > p")
    .evaluateAll((paragraphs) => paragraphs.map((paragraph) => getComputedStyle(paragraph).direction));
  expect(directions).toEqual(["rtl", "ltr"]);
});

browserTest("messages of one sender have the same distance, whatever the clock's format", async () => {
  const ids = [await send("rhythm", "one"), await send("rhythm", "two"), await send("rhythm", "three")];
  await (viola as Person).do("PATCH", "/settings", { twenty_four_hour_time: false });
  await openTopic("rhythm", ids[2] as number);
  const heightOf = async (id: number) => (await row(id).boundingBox())?.height ?? 0;
  const lineHeight = await row(ids[1] as number)
    .locator("p")
    .evaluate((element) => element.getBoundingClientRect().height);
  expect(await heightOf(ids[1] as number)).toBeLessThan(lineHeight + 10);
  expect(await heightOf(ids[2] as number)).toBe(await heightOf(ids[1] as number));
  expect(consoleErrors).toEqual([]);
});
