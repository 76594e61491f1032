import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { browserTest, chromiumPath } from "../support/browser/browser-test.ts";
import { closeBrowser, openBrowser, signedIn, urlOf } from "../support/browser/client-pages.ts";
import { png, upload } from "../support/files.ts";
import { eventually } from "../support/waiting.ts";
import { aPerson, type Person } from "../support/world.ts";

/** What remains in a browser after a user has signed out. */

const password = "the-readiness-is-all";
let person: Person;

beforeAll(async () => {
  if (!chromiumPath) return;
  person = await aPerson("Horatio", { password });
  await openBrowser();
}, 120_000);
afterAll(closeBrowser);

/** The status with which a page gets a file; 0 if it gets none. `cache` is the mode of fetch. */
const statusOf = (page: Page, path: string, cache: string) =>
  page.evaluate(
    ({ url, mode }) =>
      fetch(url, { cache: mode as never, mode: "same-origin" }).then(
        ({ status }) => status,
        () => 0,
      ),
    { url: path, mode: cache },
  );
/** Whether an image element of the page shows a file. */
const showsPicture = (page: Page, path: string) =>
  page.evaluate(
    (url) =>
      new Promise<boolean>((resolve) => {
        const image = Object.assign(new (globalThis as any).Image(), {
          onload: () => resolve(true),
          onerror: () => resolve(false),
        });
        image.src = url;
      }),
    path,
  );
const cacheNames = (page: Page) => page.evaluate(() => (globalThis as any).caches.keys() as Promise<string[]>);

browserTest(
  "files that a browser has shown are unreadable after signing out, and the program still opens without a network",
  async () => {
    const url = await upload(person, "ghost.png", png);
    const page = await signedIn(person, password);
    await page.waitForFunction(() => (navigator as any).serviceWorker.controller?.state === "activated");
    await page.evaluate(() => localStorage.setItem("kept by another program", "1"));
    expect(await statusOf(page, url, "default")).toBe(200);
    expect(await statusOf(page, url, "only-if-cached")).toBe(200);
    expect(await showsPicture(page, url)).toBe(true);

    await page.goto(urlOf("/#settings/account"));
    await page.getByRole("button", { name: "Sign out of this browser" }).click();
    await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();

    // The browser clears its cache in the background.
    await eventually(async () => (await statusOf(page, url, "only-if-cached")) !== 200);
    for (const mode of ["default", "force-cache"]) expect([mode, await statusOf(page, url, mode)]).toEqual([mode, 401]);
    expect(await showsPicture(page, url)).toBe(false);
    expect(await page.evaluate(() => localStorage.length)).toBe(1);
    expect(await cacheNames(page)).toHaveLength(1);
    await page.context().setOffline(true);
    await page.reload();
    await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
    await page.context().close();
  },
  180_000,
);
