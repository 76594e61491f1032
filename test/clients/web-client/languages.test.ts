import type { Page } from "playwright-core";
import { expect } from "vitest";
import { languages } from "../../../web/base/languages/language.ts";
import { administrationSections } from "../../../web/navigation/address.ts";
import { browserTest } from "../../support/browser/browser-test.ts";
import {
  aPage,
  consoleErrors,
  nextFrames,
  password,
  signedIn,
  urlOf,
  withBrowser,
} from "../../support/browser/client-pages.ts";
import { cutTexts } from "../../support/browser/cut-texts.ts";
import { aChannel, aPerson, type Person } from "../../support/world.ts";

/** The languages of the web client: Hermia reads, Lysander writes. */

let [hermia, lysander]: Person[] = [];
let channelId: number;

withBrowser(async () => {
  hermia = await aPerson("Hermia", { password, role: "owner" });
  lysander = await aPerson("Lysander");
  channelId = (await aChannel("athens", [hermia, lysander])).id;
});

const reader = () => hermia as Person;
const languageOf = (page: Page) => page.evaluate(() => document.documentElement.lang);
/** The scripts with texts of a language that a page has fetched. */
const fetchedTexts = (page: Page, language: string) =>
  page.evaluate(
    (start) => performance.getEntriesByType("resource").filter(({ name }) => name.includes(start)).length,
    `/client/${language}-`,
  );

browserTest.each([
  { language: "de", inbox: "Eingang", settings: "Einstellungen", choice: "Sprache in diesem Browser" },
  { language: "fr", inbox: "Réception", settings: "Paramètres", choice: "Langue dans ce navigateur" },
])(
  "the account's language, then a choice in this browser: $language",
  async ({ language, inbox, settings, choice }) => {
    const page = await signedIn(reader());
    expect(await languageOf(page)).toBe("en-US");
    expect(await fetchedTexts(page, language)).toBe(0);

    await reader().do("PATCH", "/settings", { default_language: language });
    await page.getByRole("heading", { name: inbox }).waitFor();
    expect([await languageOf(page), await fetchedTexts(page, language)]).toEqual([language, 1]);
    await expect.poll(() => page.title()).toMatch(new RegExp(`^${inbox} · `));

    await page.goto(urlOf("#settings/appearance"));
    await page.getByLabel(choice).selectOption("English");
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    await page.getByLabel("Language in this browser").selectOption("Automatic");
    await page.getByRole("heading", { name: settings }).waitFor();
    await reader().do("PATCH", "/settings", { default_language: "en" });
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    expect(consoleErrors).toEqual([]);
  },
);

browserTest("the browser's language, with its region, also before one signs in", async () => {
  await reader().do("PATCH", "/settings", { twenty_four_hour_time: true });
  const page = await aPage({ locale: "de-AT" });
  await page.goto(urlOf("/"));
  await page.getByLabel("E-Mail").fill(reader().email);
  await page.getByLabel("Passwort", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Anmelden", exact: true }).click();
  await page.getByRole("heading", { name: "Eingang" }).waitFor();
  expect(await languageOf(page)).toBe("de-AT");

  const { id } = await (lysander as Person).do("POST", "/messages", {
    ...{
      type: "channel",
      to: channelId,
      topic: "wood",
      content: "The course of true love <time:2026-01-02T15:04:00Z>",
    },
  });
  await page.goto(urlOf(`#narrow/channel/${channelId}-x/topic/wood`));
  const row = page.locator(`[data-message-id="${id}"]`);
  await expect.poll(() => row.locator("time").textContent()).toMatch(/^Freitag, 2\. Jänner/);
  expect(await row.locator("time").getAttribute("title")).toMatch(/15:04 Koordinierte Weltzeit$/);
  expect(await page.locator(".day span").last().textContent()).toBe("Heute");
  expect(consoleErrors).toEqual([]);
});

browserTest("what is shown already follows a change of the language and of the clock", async () => {
  const page = await signedIn(reader(), { timezoneId: "Europe/Vienna" });
  await page.goto(urlOf("#narrow/channel/999999999-x"));
  await page.getByText("names a channel that does not exist").waitFor();
  await reader().do("PATCH", "/settings", { default_language: "de", twenty_four_hour_time: false });
  await page.getByText("nennt einen Kanal").waitFor();
  // The refusal.
  consoleErrors.length = 0;

  await reader().do("PATCH", "/settings", { default_language: "en", timezone: "Europe/Vienna" });
  await page.goto(urlOf("#inbox"));
  await page.getByRole("button", { name: "Your profile" }).click();
  const localTime = page.getByRole("dialog").locator("dt", { hasText: "Local time" }).locator("+ dd");
  expect(await localTime.textContent()).toMatch(/ [AP]M$/);
  await reader().do("PATCH", "/settings", { twenty_four_hour_time: true });
  await expect.poll(() => localTime.textContent()).toMatch(/^\d\d:\d\d$/);
  expect(consoleErrors).toEqual([]);
});

browserTest("English, if the texts of another language cannot be loaded", async () => {
  const page = await aPage({ locale: "de", serviceWorkers: "block" });
  await page.route("**/client/de-*.js", (route) => route.abort());
  await page.goto(urlOf("/"));
  await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
  expect(await languageOf(page)).toBe("en");
  consoleErrors.length = 0;
});

const accents: Readonly<Record<string, string>> = { a: "áà", e: "éè", i: "íì", o: "óò", u: "úù", y: "ýÿ" };
/** A message of ICU's format with accents, and longer by 40 %; what is in braces of an argument stays. */
function pseudo(message: string): string {
  let depth = 0;
  return [...message]
    .map((character) => {
      if (character === "{") depth++;
      if (character === "}") depth--;
      // Inside an argument are its name and kind, and inside the braces of a plural's case is text again.
      return depth % 2 === 0 ? (accents[character] ?? character) : character;
    })
    .join("");
}
const pseudoTexts = Object.fromEntries(
  Object.keys(await languages.de.texts()).map((message) => [message, pseudo(message)]),
);

const screens = [
  { width: 1440, height: 900 },
  { width: 1024, height: 700 },
  { width: 390, height: 844 },
  { width: 320, height: 640 },
];

const views = () => [
  ...["inbox", "recent", "drafts", "scheduled", "channels", "groups", "narrow/is/starred", "no-such-view"],
  ...["profile", "notifications", "appearance", "account", "bots"].map((section) => `settings/${section}`),
  ...administrationSections.map((section) => `organization/${section}`),
  ...[`channels/${channelId}`, `narrow/channel/${channelId}-x`, `narrow/channel/${channelId}-x/topic/grove`],
];

browserTest(
  "no text is cut in a language with longer words, at any size of the screen, and from right to left",
  { timeout: 300_000 },
  async () => {
    await (lysander as Person).do("POST", "/messages", {
      ...{ type: "channel", to: channelId, topic: "grove", content: "Things base and vile" },
    });
    const page = await signedIn(reader(), { serviceWorkers: "block", reducedMotion: "reduce" });
    await page.route("**/client/de-*.js", (route) =>
      route.fulfill({ contentType: "text/javascript", body: `export const german = ${JSON.stringify(pseudoTexts)};` }),
    );
    await page.evaluate(() => localStorage.setItem("skein-language", "de"));
    const inbox = pseudoTexts.Inbox as string;
    await page.goto(urlOf("#inbox"));
    await page.reload();
    await page.getByRole("heading", { name: inbox }).waitFor();
    // Names of people and channels and descriptions, of other tests too, may be cut.
    const { members } = await reader().do("GET", "/users");
    const { streams } = await reader().do("GET", "/streams");
    const names = new Set<string>(
      [...members, ...streams].flatMap(({ full_name, name, description }) => [full_name ?? name, description]),
    );
    const cut: unknown[] = [];
    const look = async (what: string) => {
      for (const screen of screens) {
        await page.setViewportSize(screen);
        await nextFrames(page);
        // A choice can be read in full when it is opened.
        for (const { place, text } of await cutTexts(page))
          if (!names.has(text) && !(screen.width === 320 && place === "SELECT"))
            cut.push(`${what}, ${screen.width}: ${place}: ${text}`);
      }
    };
    for (const view of views()) {
      await page.goto(urlOf(`#${view}`));
      await page.locator("main h1").first().waitFor();
      await page.locator('[aria-busy="true"]').first().waitFor({ state: "detached" });
      await look(view);
    }
    await page.keyboard.press("c");
    await page.locator(".topic-field").waitFor();
    await look("compose");
    await page.keyboard.press("Escape");
    for (const key of ["?", "Control+k"]) {
      await page.keyboard.press(key);
      await page.locator("dialog[open]").waitFor();
      await look(`the dialog of ${key}`);
      await page.keyboard.press("Escape");
    }
    await page.locator("header .narrow-only").first().click();
    await page.locator(".sidebar.open").waitFor();
    for (const { place, text } of await cutTexts(page))
      if (!names.has(text)) cut.push(`the sidebar: ${place}: ${text}`);

    // The same texts in a script that is written from right to left.
    await page.addInitScript(() => Object.defineProperty(navigator, "languages", { get: () => ["de-Arab"] }));
    await page.setViewportSize({ width: 1024, height: 700 });
    await page.reload();
    await page.locator("main h1").first().waitFor();
    expect(await page.evaluate(() => [document.documentElement.lang, document.documentElement.dir])).toEqual([
      "de-Arab",
      "rtl",
    ]);
    const leftOf = async (selector: string) => (await page.locator(selector).first().boundingBox())?.x ?? 0;
    expect(await leftOf(".sidebar")).toBeGreaterThan(await leftOf("main h1"));
    for (const view of ["inbox", "settings/appearance", `narrow/channel/${channelId}-x/topic/grove`]) {
      await page.goto(urlOf(`#${view}`));
      await page.locator("main h1").first().waitFor();
      await page.locator('[aria-busy="true"]').first().waitFor({ state: "detached" });
      await nextFrames(page);
      for (const { place, text } of await cutTexts(page))
        if (!names.has(text)) cut.push(`${view}, from right to left: ${place}: ${text}`);
    }
    expect([...new Set(cut)]).toEqual([]);
    expect(consoleErrors).toEqual([]);
  },
);
