import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { browserTest } from "../support/browser/browser-test.ts";
import {
  aPage,
  closeBrowser,
  consoleErrors,
  openBrowser,
  password,
  signedIn,
  urlOf,
} from "../support/browser/client-pages.ts";
import { unique } from "../support/unique.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** What one person writes does not take another's page away: what cannot be shown is shown as text, and the rest as usual. */

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
  const page = await signedIn(othello);

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
  await signedIn(othello, {}, page);
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

/** A page that cannot show a text, which `failAt` sets: one with a defect that only shows at a certain content. */
async function aFailingPage() {
  const page = await aPage();
  await page.addInitScript(() => {
    const create = document.createTextNode;
    document.createTextNode = (text) => {
      if (text === (window as { failsAt?: string }).failsAt) throw new Error("a defect");
      return create.call(document, text);
    };
  });
  await signedIn(othello, {}, page);
  const failAt = (text: string | undefined) =>
    page.evaluate((text) => {
      Object.assign(window, { failsAt: text });
    }, text);
  return { page, failAt };
}

const alert = (page: Page) => page.getByRole("alert").filter({ hasText: "This part of the page cannot be shown." });

/** The other parts of the page work: one goes to a conversation, reads and writes. */
async function expectUsable(page: Page) {
  const topic = unique("usable");
  await send("still here", topic);
  await page.goto(urlOf(`/#narrow/channel/${channel.id}/topic/${topic}`));
  await expect.poll(() => shownTexts(page)).toEqual(["still here"]);
  await page.getByRole("textbox", { name: "Message" }).fill("and I write");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect.poll(() => shownTexts(page)).toEqual(["still here", "and I write"]);
}

browserTest("a failing row of a list is shown as its names, the others as usual, and the console says so", async () => {
  const names = [unique("a"), unique("b"), unique("c")] as const;
  for (const [index, name] of names.entries())
    await iago.do("POST", "/user_groups/create", { name, description: `${name} ${index}`, members: [iago.id] });
  const { page, failAt } = await aFailingPage();
  consoleErrors.length = 0;
  await failAt(`${names[1]} 1`);
  await page.goto(urlOf("/#groups"));
  const rowOf = (name: string) => page.locator("main li", { hasText: name });

  await rowOf(names[2]).getByRole("button", { name: "Join" }).waitFor();
  expect(await page.locator("main li.plain-text").allInnerTexts()).toEqual([names[1]]);
  await rowOf(names[0]).getByText(`${names[0]} 0`).waitFor();
  expect(consoleErrors).toEqual([expect.stringContaining("Cannot show a row: Error: a defect")]);
  await expectUsable(page);
  consoleErrors.length = 0;
  await page.context().close();
});

browserTest("a failing dialog can be tried again and closed, and the console says which", async () => {
  const topic = unique("dialog");
  await send("who am I", topic);
  const { page, failAt } = await aFailingPage();
  await page.goto(urlOf(`/#narrow/channel/${channel.id}/topic/${topic}`));
  await page.locator(".message").waitFor();
  consoleErrors.length = 0;
  await failAt("Role");
  const dialog = page.getByRole("dialog", { name: iago.name });

  await page.locator(".message-side button").click();
  await alert(page).waitFor();
  expect(consoleErrors).toEqual([expect.stringContaining(`Cannot show the dialog ${iago.name}: Error: a defect`)]);
  await dialog.getByRole("button", { name: "Close" }).click();
  await dialog.waitFor({ state: "detached" });
  expect(await shownTexts(page)).toEqual(["who am I"]);
  await page.locator(".message-side button").click();
  await alert(page).waitFor();
  await failAt(undefined);
  await dialog.getByRole("button", { name: "Try again" }).click();
  await dialog.getByText("Role", { exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await expectUsable(page);
  consoleErrors.length = 0;
  await page.context().close();
});

browserTest("a failing view leaves the page around it, can be tried again, and the console says which", async () => {
  const { page, failAt } = await aFailingPage();
  consoleErrors.length = 0;
  await failAt("Create a group");
  await page.goto(urlOf("/#groups"));
  await alert(page).waitFor();
  expect(consoleErrors).toEqual([expect.stringContaining("Cannot show the view groups: Error: a defect")]);
  expect(await page.locator(".sidebar").getByText(channel.name).count()).toBe(1);
  await expectUsable(page);

  await page.goto(urlOf("/#groups"));
  await alert(page).waitFor();
  await failAt(undefined);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "User groups" }).waitFor();
  consoleErrors.length = 0;
  await page.context().close();
});
