import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { Channel } from "../../../shared/store/channels/channels.ts";
import { browserTest } from "../../support/browser/browser-test.ts";
import {
  consoleErrors,
  expectNoViolations,
  password,
  signedIn,
  urlOf,
  withBrowser,
} from "../../support/browser/client-pages.ts";
import { aChannel, aPerson, type Person } from "../../support/world.ts";

/** Finding everything by its name, with Ctrl+K and in the sidebar's filter: Jessica looks, Lorenzo writes. */

let [jessica, lorenzo]: Person[] = [];
let channel: Channel;
let page: Page;

withBrowser(async () => {
  [jessica, lorenzo] = [await aPerson("Jessica", { password }), await aPerson("Lorenzo")];
  channel = await aChannel("venice", [jessica, lorenzo]);
  for (const topic of ["Café on the Rialto", "merchant ships", "moonlight"])
    await lorenzo.do("POST", "/messages", { type: "channel", to: channel.id, topic, content: "In such a night" });
  await jessica.do("POST", "/mark_stream_as_read", { stream_id: channel.id });
  page = await signedIn(jessica, { viewport: { width: 1024, height: 700 } });
  page.setDefaultTimeout(15_000);
});

const field = () => page.getByRole("combobox", { name: "Find channels, topics, people and commands" });
const options = () => page.getByRole("listbox", { name: "What was found" }).getByRole("option");
const chosen = () => page.locator('#palette-items [aria-selected="true"]');

async function open() {
  await page.keyboard.press("Control+k");
  await field().waitFor();
}

browserTest("Ctrl+K finds topics, channels, people and commands, by keyboard alone", async () => {
  await open();
  await page.keyboard.type("cafe ria");
  await expect.poll(() => chosen().textContent()).toBe(`Café on the Rialto${channel.name}`);
  expect(await field().getAttribute("aria-activedescendant")).toBe(await chosen().getAttribute("id"));
  await expectNoViolations(page);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /› Café on the Rialto$/ }).waitFor();
  expect(await page.evaluate(() => document.activeElement?.id)).toBe("messages");

  await open();
  await page.keyboard.type("ven");
  await expect.poll(() => chosen().textContent()).toContain(`${channel.name}channel`);
  await page.keyboard.press("ArrowDown");
  // What was chosen before comes before what is newer.
  await expect.poll(() => chosen().textContent()).toContain("Café");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: channel.name }).waitFor();

  await open();
  await page.keyboard.type("lorenzo");
  await expect.poll(() => chosen().textContent()).toContain("Lorenzo");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Lorenzo" }).waitFor();

  await open();
  await page.keyboard.type("globe.test");
  await expect.poll(() => options().count()).toBe(0);
  await page.keyboard.press("Escape");

  await open();
  await page.keyboard.type("recent conv");
  await expect.poll(() => chosen().textContent()).toContain("Recent conversations");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Recent conversations" }).waitFor();
});

browserTest("the palette opens while one is writing, closes by Esc, and returns the focus", async () => {
  await page.goto(urlOf(`#narrow/dm/${lorenzo?.id}-dm`));
  const box = page.getByLabel("Message", { exact: true });
  await box.fill("The moon shines bright");
  await open();
  await page.keyboard.type("no such thing");
  await page.getByText("Nothing has this name.").waitFor();
  expect(await options().count()).toBe(0);
  await expectNoViolations(page);
  await page.keyboard.press("Escape");
  await field().waitFor({ state: "detached" });
  expect(await box.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await box.inputValue()).toBe("The moon shines bright");
  await box.fill("");
  await page.keyboard.press("Escape");
});

browserTest("the sidebar's filter finds topics, read ones too", async () => {
  const sidebar = page.getByRole("navigation", { name: "Channels and views" });
  await page.keyboard.press("q");
  await page.keyboard.type("merch");
  await sidebar.getByRole("link", { name: "merchant ships" }).waitFor();
  expect(await sidebar.getByRole("link", { name: "moonlight" }).count()).toBe(0);
  await page.emulateMedia({ colorScheme: "dark" });
  await expectNoViolations(page);
  await sidebar.getByRole("link", { name: "merchant ships" }).click();
  await page.getByRole("heading", { name: /› merchant ships$/ }).waitFor();
  expect(consoleErrors).toEqual([]);
});
