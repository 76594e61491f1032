import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { expect } from "vitest";
import { program, violations } from "./browser.ts";
import { front } from "./hosts/public-address.ts";
import type { Person } from "./world.ts";

/** Pages of the fleet under test in a real browser, and what the browser complains of. */

let browser: Browser | undefined;
let entrance: Awaited<ReturnType<typeof front>> | undefined;

/** What browsers wrote to their consoles since a test last asked; each page adds to it. */
export const complaints: string[] = [];

export async function openBrowser(): Promise<void> {
  if (!program) return;
  entrance = await front();
  browser = await chromium.launch({ executablePath: program, args: ["--no-sandbox"] });
}

export async function closeBrowser(): Promise<void> {
  await browser?.close();
  entrance?.close();
}

export const at = (path: string) => new URL(path, entrance?.url).href;

export const isClean = async (page: Page) => expect([page.url(), await violations(page)]).toEqual([page.url(), []]);

/** A page of somebody whom the browser does not know. */
export async function aPage(options: BrowserContextOptions = {}): Promise<Page> {
  if (!browser) throw new Error("There is no browser");
  const page = await (await browser.newContext(options)).newPage();
  page.setDefaultTimeout(60_000);
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(`${message.text()} ${message.location().url}`);
  });
  return page;
}

/** A page of somebody who has signed in. */
export async function signedIn(
  { email }: Pick<Person, "email">,
  password: string,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const page = await aPage(options);
  await page.goto(at("/"));
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  return page;
}
