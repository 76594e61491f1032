import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";
import type { Channel } from "../../../shared/store/channels/channels.ts";
import { browserTest, violations } from "../../support/browser/browser-test.ts";
import {
  aPage,
  consoleErrors,
  enterPassword,
  password,
  signedIn as signedInOn,
  urlOf,
  withBrowser,
} from "../../support/browser/client-pages.ts";
import { sendDirect } from "../../support/messages.ts";
import { aHistory } from "../../support/table/seeding.ts";
import { aChannel, aPerson, call, type Person } from "../../support/world.ts";

/** The web client in a real browser: two users in two windows do everyday tasks. */

let [beatrice, benedick]: Person[] = [];
let channel: Channel;
let [beatricePage, benedickPage]: Page[] = [];

/** Opens a page, whose warnings and requests to other hosts count as errors, too, and signs in. */
async function signedIn(person: Person, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await aPage({ viewport: { width: 1280, height: 800 }, ...options });
  page.on("console", (message) => {
    if (message.type() === "warning") consoleErrors.push(`${message.text()} ${message.location().url}`);
  });
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (/^https?:$/.test(protocol) && origin !== new URL(urlOf("/")).origin) consoleErrors.push(request.url());
  });
  return signedInOn(person, {}, page);
}

/** Drops the errors that browsers log for requests that the server refuses. */
function dropRefusals() {
  consoleErrors.splice(0, consoleErrors.length, ...consoleErrors.filter((text) => !/status of 401/.test(text)));
}

const field = (page: Page) => page.getByLabel("Message", { exact: true });
const messages = (page: Page, text: string) => page.locator(".message:not(.outgoing)", { hasText: text });
/** The newest one, because a case that is repeated finds the message of its first attempt, too. */
const message = (page: Page, text: string) => messages(page, text).last();

async function write(page: Page, text: string) {
  await field(page).fill(text);
  await page.keyboard.press("Control+Enter");
}

withBrowser(async () => {
  [beatrice, benedick] = [await aPerson("Beatrice", { password }), await aPerson("Benedick", { password })];
  channel = await aChannel("messina", [beatrice, benedick]);
  [beatricePage, benedickPage] = [await signedIn(beatrice), await signedIn(benedick)];
});

const topicHash = (name: string) => `#narrow/channel/${channel.id}-x/topic/${name}`;

/** Also waits for the topic's view: what is entered before belongs to the former view. */
async function openTopic(page: Page, name: string) {
  await page.goto(urlOf(topicHash(name)));
  await page.getByRole("heading", { name: new RegExp(`› ${name}$`) }).waitFor();
}

/** Opens the direct messages with somebody, by default one's own notes, and waits for their view. */
async function openDirect(page: Page, { id }: Person, title = "Notes to yourself") {
  await page.goto(urlOf(`#narrow/dm/${id}-dm`));
  await page.getByRole("heading", { name: title, level: 1 }).waitFor();
}

browserTest("two users exchange messages, replies and reactions", async () => {
  if (!beatricePage || !benedickPage) return;
  await openTopic(beatricePage, "wit");
  await write(beatricePage, "I wonder that you will **still** be talking");
  await benedickPage.getByRole("navigation").getByText("wit", { exact: true }).click();
  await message(benedickPage, "still be talking").waitFor();
  await benedickPage.waitForFunction(() => document.querySelectorAll('[data-unread="true"]').length === 0);

  await message(benedickPage, "still be talking").hover();
  await benedickPage.getByRole("button", { name: "React", exact: true }).first().click();
  await benedickPage.getByLabel("Search emoji").fill("rocket");
  await benedickPage.getByRole("button", { name: "rocket", exact: true }).click();
  await beatricePage.locator(".reaction", { hasText: "🚀" }).waitFor();

  await field(benedickPage).pressSequentially("What");
  await beatricePage.getByText("Benedick is typing").waitFor();
  await write(benedickPage, "What, my dear Lady Disdain!");
  await message(beatricePage, "Lady Disdain").waitFor();
});

browserTest("a mention is completed, and the mentioned user is notified", async () => {
  if (!beatricePage || !benedickPage || !benedick) return;
  await openTopic(beatricePage, "wit");
  await benedickPage.goto(urlOf("#inbox"));
  await field(beatricePage).fill("");
  await field(beatricePage).pressSequentially("@bened");
  await beatricePage.locator(".suggestions [role=option]", { hasText: benedick.email }).click();
  await beatricePage.keyboard.press("Control+Enter");
  await message(beatricePage, "@Benedick").waitFor();
  await benedickPage.getByRole("link", { name: /Mentions\s*1/ }).waitFor();
});

browserTest("a message is edited, starred, quoted and deleted", async () => {
  if (!beatricePage || !benedickPage) return;
  await openTopic(beatricePage, "jade");
  await openTopic(benedickPage, "jade");
  await write(beatricePage, "a jade's trick");
  await message(benedickPage, "a jade's trick").waitFor();
  const choose = async (text: string, item: string) => {
    await message(beatricePage as Page, text).hover();
    await message(beatricePage as Page, text)
      .getByRole("button", { name: "More" })
      .click();
    await (beatricePage as Page).getByRole("menuitem", { name: item, exact: true }).click();
  };

  await choose("a jade's trick", "Edit");
  await beatricePage.getByLabel("Text of the message").fill("I know you of old");
  await beatricePage.getByRole("button", { name: "Save", exact: true }).click();
  await message(benedickPage, "I know you of old").waitFor();
  await message(beatricePage, "I know you of old").hover();
  await message(beatricePage, "I know you of old").getByRole("button", { name: "Star" }).click();
  await message(beatricePage, "I know you of old").getByRole("button", { name: "Remove star" }).waitFor();
  await choose("I know you of old", "Quote and reply");
  await beatricePage.waitForFunction(() => document.querySelector("textarea")?.value.includes("```quote"));
  await beatricePage.keyboard.press("Control+Enter");
  await benedickPage.locator(".message blockquote", { hasText: "I know you of old" }).waitFor();
  await beatricePage.goto(urlOf("#narrow/is/starred"));
  await choose("I know you of old", "Delete");
  await beatricePage.getByRole("button", { name: "Delete", exact: true }).click();
  await beatricePage.getByText("Messages you star appear here").waitFor();
});

browserTest("a topic is resolved, and both users can continue in it", async () => {
  if (!beatricePage || !benedickPage) return;
  await openTopic(beatricePage, "plot");
  await write(beatricePage, "the plot is laid");
  await message(beatricePage, "the plot is laid").waitFor();
  await beatricePage.getByRole("button", { name: "Resolve" }).click();
  await beatricePage.getByRole("heading", { name: /✔ plot/ }).waitFor();
  await message(beatricePage, "the plot is laid").waitFor();
  await benedickPage.goto(urlOf(topicHash(".E2.9C.94.20plot")));
  await message(benedickPage, "the plot is laid").waitFor();
});

browserTest("who goes on before the reply to resolving a topic arrives is not led back", async () => {
  const page = beatricePage;
  if (!page) return;
  await openTopic(page, "masque");
  await write(page, "the masque is over");
  await message(page, "the masque is over").waitFor();
  const { promise: isAnswered, resolve: answer } = Promise.withResolvers<void>();
  await page.route(/\/messages\/\d+$/, async (route) => {
    const response = await route.fetch();
    await isAnswered;
    await route.fulfill({ response });
  });
  await page.getByRole("button", { name: "Resolve" }).click();
  await page.getByRole("heading", { name: /✔ masque/ }).waitFor();
  await openTopic(page, "tomb");
  answer();
  await page.getByText("is resolved.").last().waitFor();
  await page.getByRole("heading", { name: /tomb$/ }).waitFor();
  await page.unrouteAll({ behavior: "wait" });
});

browserTest("a picture in a direct message is shown to the other user", async () => {
  if (!beatricePage || !benedickPage || !benedick || !beatrice) return;
  await openDirect(beatricePage, benedick, "Benedick");
  await beatricePage.locator("input[type=file]").setInputFiles(join(import.meta.dirname, "../../support/globe.png"));
  await beatricePage.waitForFunction(() => document.querySelector("textarea")?.value.includes("/user_uploads/"));
  await beatricePage.getByRole("button", { name: "Send", exact: true }).click();
  await openDirect(benedickPage, beatrice, "Beatrice");
  await benedickPage.waitForFunction(() =>
    [...document.querySelectorAll<HTMLImageElement>(".message img")].some(({ naturalWidth }) => naturalWidth > 0),
  );
});

browserTest("a message is scheduled, moved to another time and cancelled", async () => {
  if (!beatricePage) return;
  await openTopic(beatricePage, "wedding");
  await field(beatricePage).fill("Bring the friar");
  await beatricePage.getByRole("button", { name: "Send later" }).click();
  await beatricePage.getByRole("button", { name: /^Tomorrow morning, 9:00/ }).click();
  await beatricePage.goto(urlOf("#scheduled"));
  await beatricePage.locator(".cards li", { hasText: "Bring the friar" }).waitFor();
  await beatricePage.getByRole("button", { name: "Another time" }).click();
  const choice = beatricePage.getByRole("button", { name: /^Tomorrow afternoon, 1/ });
  await choice.click();
  // Before noon two of the choices contain that hour.
  await choice.waitFor({ state: "detached" });
  await beatricePage.locator(".cards li", { hasText: /1:00\sPM|13:00/ }).waitFor();
  await beatricePage.getByRole("button", { name: "Delete" }).click();
  await beatricePage.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await beatricePage.getByText("Messages you schedule appear here").waitFor();
});

browserTest("a search finds words within a channel", async () => {
  if (!beatricePage) return;
  await openTopic(beatricePage, "search");
  await write(beatricePage, "Sigh no more, ladies");
  await message(beatricePage, "Sigh no more").waitFor();
  await beatricePage.getByLabel("Search messages").fill(`channel:"${channel.name}" ladies`);
  await beatricePage.keyboard.press("Enter");
  await beatricePage.getByRole("heading", { name: "Search results" }).waitFor();
  await message(beatricePage, "Sigh no more").waitFor();
});

browserTest(
  "a disconnected user sees a notice, and misses nothing after reconnecting",
  { timeout: 120_000 },
  async () => {
    if (!beatricePage || !benedickPage) return;
    await openTopic(benedickPage, "masque");
    await write(benedickPage, "the revellers are entering");
    await message(benedickPage, "the revellers are entering").waitFor();
    await benedickPage.context().setOffline(true);
    // Chromium lets the request for events that is under way run to its end.
    await benedickPage.getByText("Reconnecting").waitFor({ timeout: 60_000 });
    await openTopic(beatricePage, "masque");
    await write(beatricePage, "will you not tell me who told you so");
    await message(beatricePage, "who told you so").waitFor();
    await benedickPage.context().setOffline(false);
    await message(benedickPage, "who told you so").waitFor();
    await benedickPage.getByText("Reconnecting").waitFor({ state: "detached" });
    const [sentCount, receivedCount] = await Promise.all(
      [beatricePage, benedickPage].map((page) => messages(page, "who told you so").count()),
    );
    expect(receivedCount).toBe(sentCount);
    // Browsers log an error for each request that fails.
    consoleErrors.splice(
      0,
      consoleErrors.length,
      ...consoleErrors.filter((text) => !/ERR_INTERNET_DISCONNECTED/.test(text)),
    );
  },
);

browserTest("hostile text is shown and never executed", async () => {
  if (!beatricePage) return;
  await openTopic(beatricePage, "hostile");
  await write(beatricePage, '<img src=x onerror="alert(1)"> [a](javascript:alert(1)) <script>alert(2)</script>');
  await message(beatricePage, "alert(2)").waitFor();
  expect(
    await beatricePage.locator(".message [onerror], .message script, .message a[href^='javascript']").count(),
  ).toBe(0);
});

browserTest("the keyboard shortcuts work, and are listed", async () => {
  if (!beatricePage) return;
  await openTopic(beatricePage, "wit");
  await message(beatricePage, "Lady Disdain").waitFor();
  await beatricePage
    .locator(".message")
    .last()
    .click({ position: { x: 5, y: 5 } });
  await beatricePage.keyboard.press("?");
  await beatricePage.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  await beatricePage.keyboard.press("Escape");
  await beatricePage.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor({ state: "detached" });
  await beatricePage.locator("body").press("I");
  await beatricePage.getByRole("heading", { name: "Inbox" }).waitFor();
});

browserTest("a long history is scrolled through in both directions with few rows, and none is missing", async () => {
  if (!beatrice || !benedick) return;
  const long = await aChannel("long", [beatrice, benedick]);
  const { id: senderId } = benedick;
  const { first, last } = await aHistory(400, { channel: long, senderId: () => senderId });
  const page = await signedIn(beatrice);
  await page.goto(urlOf(`#narrow/channel/${long.id}-x`));
  await page.locator(`[data-message-id="${first}"]`).waitFor();

  const down = await page.evaluate(scrollUntil, { id: last, pixels: 600 });
  expect(down).toEqual({ reached: true, gaps: [], blanks: 0, maxRows: expect.any(Number) });
  const up = await page.evaluate(scrollUntil, { id: first, pixels: -600 });
  expect(up).toEqual({ reached: true, gaps: [], blanks: 0, maxRows: expect.any(Number) });
  expect(Math.max(down.maxRows, up.maxRows)).toBeLessThan(200);
  await page.getByText("This is the beginning.").waitFor();
  await page.context().close();
});

/**
 * Scrolls by a number of pixels in each frame until a message appears; counts the frames that ended with no message on the
 * screen.
 */
const scrollUntil = ({ id, pixels }: { id: number; pixels: number }) =>
  new Promise<{ reached: boolean; gaps: string[]; blanks: number; maxRows: number }>((resolve) => {
    const result = { reached: false, gaps: [] as string[], blanks: 0, maxRows: 0 };
    // 20 seconds at 60 frames per second. Declared here, because the function runs in the page.
    const maxUnmovedFrames = 1200;
    let unmovedFrames = 0;
    const step = () => {
      const frame = document.getElementById("messages") as HTMLElement;
      const rows = [...frame.querySelectorAll<HTMLElement>("[data-message-id]")];
      const ids = rows.map(({ dataset }) => Number(dataset.messageId));
      for (const [index, rowId] of ids.entries())
        if (index > 0 && rowId !== (ids[index - 1] as number) + 1) result.gaps.push(`${ids[index - 1]} to ${rowId}`);
      const { top, bottom } = frame.getBoundingClientRect();
      const [first, last] = [
        rows[0]?.getBoundingClientRect().top ?? 0,
        rows.at(-1)?.getBoundingClientRect().bottom ?? 0,
      ];
      if (first > bottom || last < top) result.blanks++;
      result.maxRows = Math.max(result.maxRows, rows.length);
      result.reached = ids.includes(id);
      const before = frame.scrollTop;
      frame.scrollTop += pixels;
      unmovedFrames = frame.scrollTop === before ? unmovedFrames + 1 : 0;
      if (result.reached || unmovedFrames > maxUnmovedFrames) resolve(result);
      else requestAnimationFrame(step);
    };
    step();
  });

browserTest(
  "a phone in dark mode shows messages without accessibility violations or horizontal scrolling",
  async () => {
    if (!beatrice) return;
    const phone = await signedIn(beatrice, {
      viewport: { width: 390, height: 780 },
      hasTouch: true,
      colorScheme: "dark",
    });
    await phone.getByRole("button", { name: "Channels and views" }).click();
    await phone.getByRole("navigation").getByText(channel.name).click();
    await message(phone, "Lady Disdain").waitFor();
    expect(await violations(phone)).toEqual([]);
    expect(await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    await phone.close();
  },
);

browserTest(
  "after a session was ended elsewhere, signing in again restores the view and the text being written",
  async () => {
    if (!benedick) return;
    const hero = await aPerson("Hero", { password });
    const page = await signedIn(hero);
    const outcry = "O, God defend me! how am I beset!";
    await openDirect(page, benedick, "Benedick");
    await field(page).fill(outcry);

    await hero.do("POST", "/users/me/api_key/regenerate");
    await page.goto(urlOf("#narrow/is/mentioned"));
    const notice = page.getByText("Your session has ended. Sign in again to continue.");
    await notice.waitFor();
    expect(await notice.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await violations(page)).toEqual([]);
    expect(await page.getByLabel("Email").inputValue()).toBe(hero.email);

    await enterPassword(page);
    await page.getByRole("heading", { name: "Mentions" }).waitFor();
    await openDirect(page, benedick, "Benedick");
    expect(await field(page).inputValue()).toBe(outcry);

    const storedCredentials = await page.evaluate(() => localStorage.getItem("skein-credentials"));
    await hero.do("DELETE", "/users/me", {}, { credentials: JSON.parse(storedCredentials ?? "") });
    await page.goto(urlOf("#narrow/is/starred"));
    await page.getByText("Your session has ended. Account is deactivated. Sign in again to continue.").waitFor();
    await page.context().close();
    dropRefusals();
  },
);

browserTest("who signs in to the same tab after somebody else finds nothing of that person", async () => {
  if (!benedick) return;
  const [hero, margaret] = [await aPerson("Hero", { password }), await aPerson("Margaret", { password })];
  await sendDirect(benedick, [hero, margaret], `Good morrow @**Hero|${hero.id}**, gentlewomen`);
  await sendDirect(benedick, [hero], "for Hero alone");
  const page = await signedIn(hero);
  /** Whether somebody reads that the message for both mentions its reader; nothing of the page is loaded again. */
  const isMentioned = async (reader: Person, other: Person) => {
    await page.evaluate((hash) => location.assign(hash), `#narrow/dm/${[other.id, benedick?.id].sort()}-group`);
    const text = message(page, "Good morrow").locator(".user-mention");
    await text.waitFor();
    return [reader.id, await text.evaluate((element) => element.classList.contains("mentions-reader"))];
  };
  expect(await isMentioned(hero, margaret)).toEqual([hero.id, true]);
  await field(page).fill("to be sent by Hero alone");
  await page.evaluate(() => location.assign("#inbox"));
  await page.evaluate((hash) => location.assign(hash), `#narrow/dm/${benedick.id}-dm`);
  await message(page, "for Hero alone").click();
  await field(page).fill("another text of Hero");

  // At once, while drafts are to be saved and messages to be marked as read.
  await hero.do("POST", "/users/me/api_key/regenerate");
  await page.getByText("Your session has ended.").waitFor();
  await page.getByLabel("Email").fill(margaret.email);
  await enterPassword(page);

  await page.getByRole("heading", { name: "Benedick", level: 1 }).waitFor();
  expect(await field(page).inputValue()).toBe("");
  expect(await page.locator(".message", { hasText: "for Hero alone" }).count()).toBe(0);
  expect(await isMentioned(margaret, hero)).toEqual([margaret.id, false]);
  expect(await field(page).inputValue()).toBe("");
  await page.evaluate(() => location.assign("#drafts"));
  await page.getByRole("heading", { name: "Drafts", level: 1 }).waitFor();
  expect(await page.locator("body").textContent()).not.toMatch(/of Hero|by Hero|for Hero/);
  // A text that Margaret writes is saved after all that was begun before.
  await page.evaluate((hash) => location.assign(hash), `#narrow/dm/${benedick.id}-dm`);
  await page.getByRole("heading", { name: "Benedick", level: 1 }).waitFor();
  await field(page).fill("a text of Margaret");
  const drafts = async () => (await margaret.do("GET", "/drafts")).drafts.map(({ content }: any) => content);
  await expect.poll(drafts).toEqual(["a text of Margaret"]);
  await page.context().close();
  dropRefusals();
});

browserTest("changing the password keeps the session, and only the new password signs in", async () => {
  const hero = await aPerson("Hero", { password });
  const page = await signedIn(hero);
  await page.goto(urlOf("#settings/account"));
  const newPassword = "a-maid-and-stuffed-7";
  await page.getByLabel("Current password").fill(password);
  await page.getByLabel("New password").fill(newPassword);

  await page.getByRole("button", { name: "Change password" }).click();

  await page.getByText("Your password was changed.").waitFor();
  await openDirect(page, hero);
  await write(page, "Done to death by slanderous tongues");
  await message(page, "slanderous tongues").waitFor();
  const signIn = (attempted: string) =>
    call("POST", "/fetch_api_key", { username: hero.email, password: attempted }).then(({ status }) => status);
  expect([await signIn(newPassword), await signIn(password)]).toEqual([200, 401]);
  await page.context().close();
});

browserTest(
  "in the settings, somebody signs out another device, and then all others, and stays signed in",
  async () => {
    const ursula = await aPerson("Ursula", { password });
    const page = await signedIn(ursula);
    const phone = "ZulipFlutter/30.0.265 (Android 15)";
    const signIn = async (client: string) =>
      (await call("POST", "/fetch_api_key", { username: ursula.email, password }, { client })).body.api_key;
    const statusOf = async (apiKey: string) =>
      (await call("GET", "/users/me", {}, { credentials: { email: ursula.email, apiKey } })).status;
    const [onPhone, inScript] = [await signIn(phone), await signIn("curl/8.14.1")];
    const confirm = () => page.getByRole("dialog").getByRole("button", { name: "Sign out", exact: true }).click();

    await page.goto(urlOf("#settings/account"));
    const devices = page.getByRole("list", { name: "Devices" }).getByRole("listitem");
    await expect.poll(() => devices.count()).toBe(3);
    await page.getByRole("button", { name: "Sign out Zulip for phones on Android" }).click();
    await confirm();
    await expect.poll(() => devices.count()).toBe(2);
    expect([await statusOf(onPhone), await statusOf(inScript)]).toEqual([401, 200]);
    if (process.env.SKEIN_PICTURES) await page.screenshot({ path: `${process.env.SKEIN_PICTURES}/devices.png` });

    await page.getByRole("button", { name: "Sign out of all other devices" }).click();
    await confirm();
    await expect.poll(() => devices.count()).toBe(1);
    expect([await statusOf(inScript), await statusOf(ursula.apiKey)]).toEqual([401, 401]);
    await page.getByLabel("Your password, to see the key").fill(password);
    await page.getByRole("button", { name: "Show", exact: true }).click();
    const key = await page.getByLabel("API key", { exact: true }).inputValue();
    expect(await statusOf(key)).toBe(200);
    await openDirect(page, ursula);
    await write(page, "Our talk must only be of Benedick");
    await message(page, "only be of Benedick").waitFor();
    await page.context().close();
  },
);

browserTest("signing out removes all local data", async () => {
  if (!benedickPage) return;
  await benedickPage.goto(urlOf("#settings/account"));
  await benedickPage.getByRole("button", { name: "Sign out of this browser" }).click();
  await benedickPage.getByRole("button", { name: "Sign in", exact: true }).waitFor();
  await benedickPage.reload();
  await benedickPage.getByRole("button", { name: "Sign in", exact: true }).waitFor();
  expect(await benedickPage.evaluate(() => localStorage.length)).toBe(0);
});

browserTest("there are no console errors and no requests to other hosts", () => {
  expect(consoleErrors).toEqual([]);
});
