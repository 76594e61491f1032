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
import { unique } from "../../support/unique.ts";
import { aChannel, aPerson, type Person } from "../../support/world.ts";

/** Searching in the web client: Touchstone looks, Audrey writes. */

let [touchstone, audrey]: Person[] = [];
let channel: Channel;
let page: Page;
const word = unique("shepherd").replaceAll(/\W/g, "");

withBrowser(async () => {
  [touchstone, audrey] = [await aPerson("Touchstone", { password }), await aPerson("Audrey")];
  channel = await aChannel("forest", [touchstone, audrey]);
  page = await signedIn(touchstone);
  page.setDefaultTimeout(15_000);
});

const field = () => page.getByRole("combobox", { name: "Search messages" });
const suggestion = (text: string) => page.getByRole("listbox", { name: "Search suggestions" }).getByText(text);
const send = (topic: string, content: string) =>
  (audrey as Person).do("POST", "/messages", { type: "channel", to: channel.id, topic, content });

browserTest("matches are marked, the box and the address hold the search, and going back shows it again", async () => {
  const { id } = await send("life of a", `This ${word}'s life, **${word}**`);
  await send("court", `No ${word} here`);
  await page.keyboard.press("/");
  await field().fill(`channel:"${channel.name}" topic:life`);
  await suggestion('topic:"life of a"').click();
  await page.keyboard.type(word);
  const query = `channel:"${channel.name}" topic:"life of a" ${word}`;
  expect(await field().inputValue()).toBe(query);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Search results" }).waitFor();
  const row = page.locator(`[data-message-id="${id}"]`);
  await row.waitFor();
  expect(await row.locator(".highlight").allTextContents()).toEqual([word, word]);
  expect(await page.locator(".message").count()).toBe(1);
  expect(await field().inputValue()).toBe(query);
  await expectNoViolations(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await expectNoViolations(page);

  // The marks of a message that is edited are gone: they are in a text that is no longer there.
  await (audrey as Person).do("PATCH", `/messages/${id}`, { content: `Another ${word}` });
  await row.getByText(`Another ${word}`).waitFor();
  expect(await row.locator(".highlight").count()).toBe(0);

  await page.goto(urlOf("#inbox"));
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  await expect.poll(() => field().inputValue()).toBe("");
  await page.goBack();
  await page.getByRole("heading", { name: "Search results" }).waitFor();
  await expect.poll(() => field().inputValue()).toBe(query);
});

browserTest("a search of direct messages by address shows them", async () => {
  await (audrey as Person).do("POST", "/messages", { type: "direct", to: [touchstone?.id], content: `I am ${word}` });
  await page.keyboard.press("/");
  await field().fill(`dm:${audrey?.email} ${word}`);
  await page.keyboard.press("Enter");
  await page.locator(".message .highlight", { hasText: word }).waitFor();
  expect(await field().inputValue()).toBe(`dm:${audrey?.email} ${word}`);
  expect(consoleErrors).toEqual([]);
});
