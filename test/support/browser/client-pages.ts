import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { exposeHost } from "../hosts/expose-host.ts";
import type { Person } from "../world.ts";
import { chromiumPath, violations } from "./browser-test.ts";

/** Opens pages of the fleet under test in a real browser, and collects console errors. */

let browser: Browser | undefined;
let publicHost: Awaited<ReturnType<typeof exposeHost>> | undefined;

/** Console errors of all pages; tests check and clear them. */
export const consoleErrors: string[] = [];

/** The password of the people who sign in. */
export const password = "threads-and-engines-of-the-loom";

/** Opens the browser before the cases of a file and closes it after them; `setUp` runs in between. Does nothing without Chromium. */
export function withBrowser(setUp: () => Promise<unknown> = async () => {}): void {
  beforeAll(async () => {
    if (!chromiumPath) return;
    await openBrowser();
    await setUp();
  }, 240_000);
  beforeEach(({ task }) => {
    // What a failed attempt has caused must not fail the next.
    if (task.result?.retryCount) consoleErrors.length = 0;
  });
  afterAll(closeBrowser);
}

export async function openBrowser(): Promise<void> {
  if (!chromiumPath) return;
  // Files that share this module share the list: what an earlier file's pages logged while they closed is not this one's.
  consoleErrors.length = 0;
  publicHost = await exposeHost();
  browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"] });
}

export async function closeBrowser(): Promise<void> {
  await browser?.close();
  publicHost?.close();
}

export const urlOf = (path: string) => new URL(path, publicHost?.url).href;

export const expectNoViolations = async (page: Page) =>
  expect([page.url(), await violations(page)]).toEqual([page.url(), []]);

/** Waits until a page has handled what has happened to it, and shown it. */
export const nextFrames = (page: Page) =>
  page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)))),
  );

/** Opens a page with a fresh browser profile. */
export async function aPage(options: BrowserContextOptions = {}): Promise<Page> {
  if (!browser) throw new Error("There is no browser");
  const page = await (await browser.newContext(options)).newPage();
  page.setDefaultTimeout(60_000);
  page.on("pageerror", (error) => consoleErrors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") consoleErrors.push(`${message.text()} ${message.location().url}`);
  });
  return page;
}

/** Opens a page, or takes the given one, and signs in with `password`. */
export async function signedIn(
  { email }: Pick<Person, "email">,
  options: BrowserContextOptions = {},
  opened?: Page,
): Promise<Page> {
  const page = opened ?? (await aPage(options));
  await page.goto(urlOf("/"));
  await page.getByLabel("Email").fill(email);
  await enterPassword(page);
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  return page;
}

export async function enterPassword(page: Page): Promise<void> {
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}
