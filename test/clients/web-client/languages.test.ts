import type { Page } from "playwright-core";
import { expect } from "vitest";
import { browserTest } from "../../support/browser/browser-test.ts";
import { aPage, consoleErrors, password, signedIn, urlOf, withBrowser } from "../../support/browser/client-pages.ts";
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
/** The scripts with German texts that a page has fetched. */
const fetchedTexts = (page: Page) =>
  page.evaluate(() => performance.getEntriesByType("resource").filter(({ name }) => /\/client\/de-/.test(name)).length);

browserTest("the account's language, then a choice in this browser", async () => {
  const page = await signedIn(reader());
  expect(await languageOf(page)).toBe("en-US");
  expect(await fetchedTexts(page)).toBe(0);

  await reader().do("PATCH", "/settings", { default_language: "de" });
  await page.getByRole("heading", { name: "Eingang" }).waitFor();
  expect([await languageOf(page), await fetchedTexts(page)]).toEqual(["de", 1]);
  await expect.poll(() => page.title()).toMatch(/^Eingang · /);

  await page.goto(urlOf("#settings/appearance"));
  await page.getByLabel("Sprache in diesem Browser").selectOption("English");
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  await page.getByLabel("Language in this browser").selectOption("Automatic");
  await page.getByRole("heading", { name: "Einstellungen" }).waitFor();
  await reader().do("PATCH", "/settings", { default_language: "en" });
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  expect(consoleErrors).toEqual([]);
});

browserTest("the browser's language, with its region, also before one signs in", async () => {
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
  expect(await page.locator(".day span").last().textContent()).toBe("Heute");
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
