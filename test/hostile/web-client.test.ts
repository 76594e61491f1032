import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { browserTest } from "../support/browser/browser-test.ts";
import { aPage, closeBrowser, consoleErrors, openBrowser, signedIn, urlOf } from "../support/browser/client-pages.ts";
import { unique } from "../support/unique.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** What one person writes does not take another's page away: what cannot be shown is shown as text, and the rest as usual. */

const password = "threads-and-engines-of-the-loom";
let iago: Person;
let othello: Person;
let channel: Channel;

beforeAll(async () => {
  [iago, othello] = await Promise.all([aPerson("Iago", { role: "owner" }), aPerson("Othello", { password })]);
  channel = await aChannel("venice", [iago, othello]);
  await openBrowser();
});
afterAll(closeBrowser);

const send = (content: string, topic = "t") =>
  iago.do("POST", "/messages", { type: "channel", to: channel.id, topic, content });

/** The texts of the messages on a page, without what belongs to a row besides its content. */
const shownTexts = async (page: Page) =>
  (await page.locator(".message .rendered, .message .plain-text").allInnerTexts()).map((text) => text.trim());

browserTest("addresses that are none for a browser neither hide their message nor later ones", async () => {
  const contents = [
    "before",
    "see http://a.com:999999/ there",
    "[x](http://a%b)",
    "[x](https://[)",
    "[y](http://%00/)",
    "https://xn--/",
    "after",
  ];
  consoleErrors.length = 0;
  for (const content of contents) await send(content, "addresses");
  await iago.do("PATCH", `/streams/${channel.id}`, { description: contents.join(" ") });
  const page = await signedIn(othello, password);

  await page.goto(urlOf(`/#narrow/channel/${channel.id}/topic/addresses`));
  await expect.poll(() => shownTexts(page)).toHaveLength(contents.length);
  expect((await shownTexts(page)).at(-1)).toBe("after");
  await page.goto(urlOf(`/#channels/${channel.id}`));
  await page.getByRole("heading", { name: channel.name }).waitFor();
  expect(await page.locator(".rendered").first().textContent()).toContain("http://a.com:999999/");
  expect(consoleErrors).toEqual([]);
  await page.context().close();
});

browserTest("a failing message is shown as its text, the others as usual, and the console says which", async () => {
  const topic = unique("failing");
  const ids: number[] = [];
  for (const content of ["**first**", "a **failing** [link](https://fails.test/)", "**last**"])
    ids.push((await send(content, topic)).id);
  const page = await aPage();
  // A defect of a script that only shows at a certain text.
  await page.addInitScript(() => {
    const parse = URL.parse;
    URL.parse = (url, base) => {
      if (String(url).startsWith("https://fails.test")) throw new Error("a defect");
      return parse.call(URL, url, base);
    };
  });
  consoleErrors.length = 0;
  await signedIn(othello, password, {}, page);
  await page.goto(urlOf(`/#narrow/channel/${channel.id}/topic/${topic}`));
  await expect.poll(() => shownTexts(page)).toEqual(["first", "a failing link", "last"]);
  expect(await page.locator(".rendered strong").allInnerTexts()).toEqual(["first", "last"]);
  expect(consoleErrors).toEqual([expect.stringContaining("Cannot show rendered content: Error: a defect")]);

  await send("and on", topic);
  await expect.poll(() => shownTexts(page)).toEqual(["first", "a failing link", "last", "and on"]);
  await iago.do("PATCH", `/messages/${ids[1]}`, { content: "a **mended** one" });
  await expect.poll(() => shownTexts(page)).toEqual(["first", "a mended one", "last", "and on"]);
  consoleErrors.length = 0;
  await page.context().close();
});
