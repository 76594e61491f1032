import { join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { browserTest, chromiumPath, violations } from "../support/browser/browser-test.ts";
import { exposeHost } from "../support/hosts/expose-host.ts";
import { aHistory } from "../support/table/seeding.ts";
import { aChannel, aPerson, call, type Person } from "../support/world.ts";

/** The web client in a real browser: two users in two windows do everyday tasks. */

const password = "threads-and-engines-of-the-loom";
/** Errors of all pages, and requests to other hosts. */
const consoleErrors: string[] = [];
let browser: Browser;
let publicHost: Awaited<ReturnType<typeof exposeHost>>;
let [beatrice, benedick]: Person[] = [];
let channel: Channel;
let [hers, his]: Page[] = [];

async function signedIn(person: Person, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  page.on("pageerror", (error) => consoleErrors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning")
      consoleErrors.push(`${message.text()} ${message.location().url}`);
  });
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (/^https?:$/.test(protocol) && origin !== new URL(publicHost.url).origin) consoleErrors.push(request.url());
  });
  await page.goto(publicHost.url);
  await page.getByLabel("E-mail").fill(person.email);
  await enterPassword(page);
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  return page;
}

async function enterPassword(page: Page) {
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** Browsers log an error for each request that the server refuses. */
function forgiveRefusals() {
  consoleErrors.splice(0, consoleErrors.length, ...consoleErrors.filter((text) => !/status of 401/.test(text)));
}

const at = (hash: string) => `${publicHost.url}/${hash}`.replace(/([^:])\/\//, "$1/");
const field = (page: Page) => page.getByLabel("Message", { exact: true });
const message = (page: Page, text: string) => page.locator(".message:not(.outgoing)", { hasText: text });

async function write(page: Page, text: string) {
  await field(page).fill(text);
  await page.keyboard.press("Control+Enter");
}

beforeAll(async () => {
  if (!chromiumPath) return;
  [beatrice, benedick] = [await aPerson("Beatrice", { password }), await aPerson("Benedick", { password })];
  channel = await aChannel("messina", [beatrice, benedick]);
  publicHost = await exposeHost();
  browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"] });
  [hers, his] = [await signedIn(beatrice), await signedIn(benedick)];
}, 240_000);

afterAll(async () => {
  await browser?.close();
  publicHost?.close();
});

const topic = (name: string) => `#narrow/channel/${channel.id}-x/topic/${name}`;

browserTest("two users exchange messages, replies and reactions", async () => {
  if (!hers || !his) return;
  await hers.goto(at(topic("wit")));
  await write(hers, "I wonder that you will **still** be talking");
  await his.getByRole("navigation").getByText("wit", { exact: true }).click();
  await message(his, "still be talking").waitFor();
  await his.waitForFunction(() => document.querySelectorAll('[data-unread="true"]').length === 0);

  await message(his, "still be talking").hover();
  await his.getByRole("button", { name: "React" }).first().click();
  await his.getByLabel("Search emoji").fill("rocket");
  await his.getByRole("button", { name: "rocket", exact: true }).click();
  await hers.locator(".reaction", { hasText: "🚀" }).waitFor();

  await field(his).pressSequentially("What");
  await hers.getByText("Benedick is typing").waitFor();
  await write(his, "What, my dear Lady Disdain!");
  await message(hers, "Lady Disdain").waitFor();
});

browserTest("a mention is completed, and the mentioned user is notified", async () => {
  if (!hers || !his || !benedick) return;
  await hers.goto(at(topic("wit")));
  await his.goto(at("#inbox"));
  await field(hers).fill("");
  await field(hers).pressSequentially("@bened");
  await hers.locator(".suggestions [role=option]", { hasText: benedick.email }).click();
  await hers.keyboard.press("Control+Enter");
  await message(hers, "@Benedick").waitFor();
  await his.getByRole("link", { name: /Mentions\s*1/ }).waitFor();
});

browserTest("a message is edited, starred, quoted and deleted", async () => {
  if (!hers || !his) return;
  await hers.goto(at(topic("jade")));
  await his.goto(at(topic("jade")));
  await write(hers, "a jade's trick");
  await message(his, "a jade's trick").waitFor();
  const choose = async (text: string, item: string) => {
    await message(hers as Page, text).hover();
    await message(hers as Page, text)
      .getByRole("button", { name: "More" })
      .click();
    await (hers as Page).getByRole("menuitem", { name: item, exact: true }).click();
  };

  await choose("a jade's trick", "Edit");
  await hers.getByLabel("Text of the message").fill("I know you of old");
  await hers.getByRole("button", { name: "Save", exact: true }).click();
  await message(his, "I know you of old").waitFor();
  await message(hers, "I know you of old").hover();
  await message(hers, "I know you of old").getByRole("button", { name: "Star" }).click();
  await message(hers, "I know you of old").getByRole("button", { name: "Remove star" }).waitFor();
  await choose("I know you of old", "Quote and reply");
  await hers.waitForFunction(() => document.querySelector("textarea")?.value.includes("```quote"));
  await hers.keyboard.press("Control+Enter");
  await his.locator(".message blockquote", { hasText: "I know you of old" }).waitFor();
  await hers.goto(at("#narrow/is/starred"));
  await choose("I know you of old", "Delete");
  await hers.getByRole("button", { name: "Delete", exact: true }).click();
  await hers.getByText("There are no messages here yet").waitFor();
});

browserTest("a topic is resolved, and both users can continue in it", async () => {
  if (!hers || !his) return;
  await hers.goto(at(topic("plot")));
  await write(hers, "the plot is laid");
  await message(hers, "the plot is laid").waitFor();
  await hers.getByRole("button", { name: "Resolve" }).click();
  await hers.getByRole("heading", { name: /✔ plot/ }).waitFor();
  await message(hers, "the plot is laid").waitFor();
  await his.goto(at(topic(".E2.9C.94.20plot")));
  await message(his, "the plot is laid").waitFor();
});

browserTest("a picture in a direct message is shown to the other user", async () => {
  if (!hers || !his || !benedick || !beatrice) return;
  await hers.goto(at(`#narrow/dm/${benedick.id}-dm`));
  await field(hers).waitFor();
  await hers.locator("input[type=file]").setInputFiles(join(import.meta.dirname, "../support/globe.png"));
  await hers.waitForFunction(() => document.querySelector("textarea")?.value.includes("/user_uploads/"));
  await hers.getByRole("button", { name: "Send", exact: true }).click();
  await his.goto(at(`#narrow/dm/${beatrice.id}-dm`));
  await his.waitForFunction(() =>
    [...document.querySelectorAll<HTMLImageElement>(".message img")].some(({ naturalWidth }) => naturalWidth > 0),
  );
});

browserTest("a message is scheduled, moved to another time and cancelled", async () => {
  if (!hers) return;
  await hers.goto(at(topic("wedding")));
  await field(hers).fill("Bring the friar");
  await hers.getByRole("button", { name: "Send later" }).click();
  await hers.getByRole("button", { name: "Tomorrow morning, 9:00" }).click();
  await hers.goto(at("#scheduled"));
  await hers.locator(".cards li", { hasText: "Bring the friar" }).waitFor();
  await hers.getByRole("button", { name: "Another time" }).click();
  const choice = hers.getByRole("button", { name: "Tomorrow afternoon, 13:00" });
  await choice.click();
  // Before noon two of the choices contain that hour.
  await choice.waitFor({ state: "detached" });
  await hers.locator(".cards li", { hasText: /1:00\sPM|13:00/ }).waitFor();
  await hers.getByRole("button", { name: "Cancel it" }).click();
  await hers.getByText("Messages that you schedule appear here").waitFor();
});

browserTest("a search finds words within a channel", async () => {
  if (!hers) return;
  await hers.goto(at(topic("search")));
  await write(hers, "Sigh no more, ladies");
  await message(hers, "Sigh no more").waitFor();
  await hers.getByLabel("Search messages").fill(`channel:"${channel.name}" ladies`);
  await hers.keyboard.press("Enter");
  await hers.getByRole("heading", { name: "Search results" }).waitFor();
  await message(hers, "Sigh no more").waitFor();
});

browserTest(
  "a disconnected user sees a notice, and misses nothing after reconnecting",
  { timeout: 120_000 },
  async () => {
    if (!hers || !his) return;
    await his.goto(at(topic("masque")));
    await write(his, "the revellers are entering");
    await message(his, "the revellers are entering").waitFor();
    await his.context().setOffline(true);
    // Chromium lets the request for events that is under way run to its end.
    await his.getByText("Reconnecting").waitFor({ timeout: 60_000 });
    await hers.goto(at(topic("masque")));
    await write(hers, "will you not tell me who told you so");
    await message(hers, "who told you so").waitFor();
    await his.context().setOffline(false);
    await message(his, "who told you so").waitFor();
    await his.getByText("Reconnecting").waitFor({ state: "detached" });
    expect(await message(his, "who told you so").count()).toBe(1);
    // Browsers log an error for each request that fails.
    consoleErrors.splice(
      0,
      consoleErrors.length,
      ...consoleErrors.filter((text) => !/ERR_INTERNET_DISCONNECTED/.test(text)),
    );
  },
);

browserTest("hostile text is shown and never executed", async () => {
  if (!hers) return;
  await hers.goto(at(topic("hostile")));
  await write(hers, '<img src=x onerror="alert(1)"> [a](javascript:alert(1)) <script>alert(2)</script>');
  await message(hers, "alert(2)").waitFor();
  expect(await hers.locator(".message [onerror], .message script, .message a[href^='javascript']").count()).toBe(0);
});

browserTest("the keyboard shortcuts work, and are listed", async () => {
  if (!hers) return;
  await hers.goto(at(topic("wit")));
  await message(hers, "Lady Disdain").waitFor();
  await hers.keyboard.press("Escape");
  await hers
    .locator(".message")
    .last()
    .click({ position: { x: 5, y: 5 } });
  await hers.keyboard.press("?");
  await hers.getByRole("dialog", { name: "Keys" }).waitFor();
  await hers.keyboard.press("Escape");
  await hers.getByRole("dialog", { name: "Keys" }).waitFor({ state: "detached" });
  await hers.locator("body").press("I");
  await hers.getByRole("heading", { name: "Inbox" }).waitFor();
});

browserTest("a long history is scrolled through in both directions with few rows, and none is missing", async () => {
  if (!beatrice || !benedick) return;
  const long = await aChannel("long", [beatrice, benedick]);
  const { id: senderId } = benedick;
  const { first, last } = await aHistory(700, { channel: long, senderId: () => senderId });
  const page = await signedIn(beatrice);
  await page.goto(at(`#narrow/channel/${long.id}-x`));
  await page.locator(`[data-message-id="${first}"]`).waitFor();

  const down = await page.evaluate(scrollUntil, { id: last, pixels: 300 });
  expect(down).toEqual({ reached: true, gaps: [], blanks: 0, maxRows: expect.any(Number) });
  const up = await page.evaluate(scrollUntil, { id: first, pixels: -300 });
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
    let still = 0;
    const step = () => {
      const frame = document.getElementById("messages") as HTMLElement;
      const rows = [...frame.querySelectorAll<HTMLElement>("[data-message-id]")];
      const ids = rows.map(({ dataset }) => Number(dataset.messageId));
      for (const [index, one] of ids.entries())
        if (index > 0 && one !== (ids[index - 1] as number) + 1) result.gaps.push(`${ids[index - 1]} to ${one}`);
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
      still = frame.scrollTop === before ? still + 1 : 0;
      if (result.reached || still > 1200) resolve(result);
      else requestAnimationFrame(step);
    };
    step();
  });

browserTest("no view has accessibility violations", async () => {
  if (!hers) return;
  const places = ["inbox", "recent", "feed", "drafts", "scheduled", "channels", `channels/${channel.id}`, "groups"];
  const settings = ["profile", "notifications", "appearance", "account", "bots"].map((name) => `settings/${name}`);
  for (const place of [...places, ...settings, topic("wit").slice(1)]) {
    await hers.goto(at(`#${place}`));
    await hers.locator("h1").first().waitFor();
    expect([place, await violations(hers)]).toEqual([place, []]);
  }
});

browserTest("a phone in dark mode shows the same", async () => {
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
});

browserTest("a session that was ended elsewhere leads to the sign-in, and then on with what was written", async () => {
  if (!benedick) return;
  const hero = await aPerson("Hero", { password });
  const page = await signedIn(hero);
  const direct = at(`#narrow/dm/${benedick.id}-dm`);
  const outcry = "O, God defend me! how am I beset!";
  await page.goto(direct);
  await field(page).fill(outcry);

  await hero.do("POST", "/users/me/api_key/regenerate");
  await page.goto(at("#narrow/is/mentioned"));
  const line = page.getByText("Your session has ended. Sign in again to continue.");
  await line.waitFor();
  expect(await line.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await violations(page)).toEqual([]);
  expect(await page.getByLabel("E-mail").inputValue()).toBe(hero.email);

  await enterPassword(page);
  await page.getByRole("heading", { name: "Mentions" }).waitFor();
  await page.goto(direct);
  await field(page).waitFor();
  expect(await field(page).inputValue()).toBe(outcry);

  const kept = await page.evaluate(() => localStorage.getItem("skein-credentials"));
  await hero.do("DELETE", "/users/me", {}, { credentials: JSON.parse(kept ?? "") });
  await page.goto(at("#narrow/is/starred"));
  await page.getByText("Your session has ended. Account is deactivated. Sign in again to continue.").waitFor();
  await page.context().close();
  forgiveRefusals();
});

browserTest("a new password leaves the session as it is, and is the one that signs in", async () => {
  const hero = await aPerson("Hero", { password });
  const page = await signedIn(hero);
  await page.goto(at("#settings/account"));
  const chosen = "a-maid-and-stuffed-7";
  await page.getByLabel("Current password").fill(password);
  await page.getByLabel("New password").fill(chosen);

  await page.getByRole("button", { name: "Change password" }).click();

  await page.getByText("Your password was changed.").waitFor();
  await page.goto(at(`#narrow/dm/${hero.id}-dm`));
  await write(page, "Done to death by slanderous tongues");
  await message(page, "slanderous tongues").waitFor();
  const signIn = (tried: string) =>
    call("POST", "/fetch_api_key", { username: hero.email, password: tried }).then(({ status }) => status);
  expect([await signIn(chosen), await signIn(password)]).toEqual([200, 401]);
  await page.context().close();
});

browserTest("a new API key is taken over by the other windows of the browser", async () => {
  const ursula = await aPerson("Ursula", { password });
  const page = await signedIn(ursula);
  const other = await page.context().newPage();
  await other.goto(at("#settings/account"));
  await other.getByRole("button", { name: "Create a new key" }).click();
  await other.getByRole("dialog").getByRole("button", { name: "Create a new key" }).click();
  await other.waitForFunction((old) => !localStorage.getItem("skein-credentials")?.includes(old), ursula.apiKey);

  await page.goto(at(`#narrow/dm/${ursula.id}-dm`));
  await write(page, "Our talk must only be of Benedick");
  await message(page, "only be of Benedick").waitFor();
  await page.context().close();
  forgiveRefusals();
});

browserTest(
  "a window whose key is refused waits for the new one that another window is about to remember",
  async () => {
    const margaret = await aPerson("Margaret", { password });
    const page = await signedIn(margaret);
    const { clock } = page.context();
    await clock.install();
    const [opening, other] = [await page.context().newPage(), await page.context().newPage()];
    const refused = (window: Page) => window.waitForResponse((response) => response.status() === 401);
    await other.goto(at("#settings/account"));
    // The old key is refused, and the window that asked for a new one has not received it yet.
    await other.route("**/users/me/api_key/regenerate", async (route) => {
      const response = await route.fetch();
      await clock.pauseAt(Date.now() + 60_000);
      const refusals = [refused(page), refused(opening)];
      await Promise.all([page.goto(at(`#narrow/dm/${margaret.id}-dm`)), opening.goto(at("#settings/account"))]);
      await clock.runFor(200);
      await Promise.all(refusals);
      await route.fulfill({ response });
    });
    await other.getByRole("button", { name: "Create a new key" }).click();
    await other.getByRole("dialog").getByRole("button", { name: "Create a new key" }).click();
    await other.waitForFunction((old) => !localStorage.getItem("skein-credentials")?.includes(old), margaret.apiKey);
    await clock.resume();

    await write(page, "Troth, I think your other rabato were better");
    await message(page, "rabato were better").waitFor();
    await opening.getByRole("heading", { name: "API key" }).waitFor();
    await page.context().close();
    forgiveRefusals();
  },
);

browserTest("signing out removes all local data", async () => {
  if (!his) return;
  await his.goto(at("#settings/account"));
  await his.getByRole("button", { name: "Sign out of this browser" }).click();
  await his.getByRole("button", { name: "Sign in", exact: true }).waitFor();
  await his.reload();
  await his.getByRole("button", { name: "Sign in", exact: true }).waitFor();
  expect(await his.evaluate(() => localStorage.length)).toBe(0);
});

browserTest("there are no console errors and no requests to other hosts", () => {
  expect(consoleErrors).toEqual([]);
});
