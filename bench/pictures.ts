import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Browser, type BrowserContextOptions, chromium } from "playwright-core";
import { startHost } from "../infra/local/host.ts";
import { writeRequestRecords } from "../shared/base/observability/trace.ts";
import { chromiumPath } from "../test/support/browser/chromium.ts";

/**
 * `npm run pictures`: takes the README's screenshots of the web client on a temporary host with the sample organization, and in
 * `.cache/pictures` one of each size, theme and language, to look at before a change of the page. Needs Chromium and a font with
 * emoji (Debian: chromium, fonts-noto-color-emoji).
 */

const root = resolve(import.meta.dirname, "..");
const readmeFolder = join("docs", "pictures");
const reviewFolder = join(".cache", "pictures");
/** Of a picture in README. */
const maxBytes = 250_000;
/** The users who are shown as active. */
const activeUsers = ["ada", "grace", "alan", "joan", "george", "hedy"].map((name) => `${name}@loom.test`);

interface Picture {
  /** Its path in the repository. */
  file: string;
  options: BrowserContextOptions;
  /** The fragment of the conversation's URL. */
  fragment: string;
  /** A text that must be on the screen before the screenshot is taken. */
  visibleText: string;
}

const topic = {
  fragment: "narrow/channel/3-engineering/topic/skipped.20picks.20at.20speed",
  visibleText: "I would call that fixed.",
};

const readmePictures: readonly Picture[] = [
  {
    file: join(readmeFolder, "web-light.png"),
    options: { viewport: { width: 1280, height: 800 }, colorScheme: "light" },
    ...topic,
  },
  {
    file: join(readmeFolder, "web-phone.png"),
    options: { viewport: { width: 390, height: 844 }, colorScheme: "dark", isMobile: true, hasTouch: true },
    fragment: "narrow/channel/1-general/topic/Friday.20lunch",
    visibleText: "Already in the van.",
  },
];

const sizes = [
  { width: 1440, height: 900 },
  { width: 1024, height: 700 },
  { width: 390, height: 844 },
  { width: 320, height: 640 },
];
const reviewPictures: readonly Picture[] = sizes.flatMap((viewport) =>
  (["light", "dark"] as const).flatMap((colorScheme) =>
    ["en", "de"].map((locale) => ({
      file: join(reviewFolder, `${viewport.width}-${colorScheme}-${locale}.png`),
      options: { viewport, colorScheme, locale, isMobile: viewport.width < 500, hasTouch: viewport.width < 500 },
      ...topic,
    })),
  ),
);

async function main(): Promise<void> {
  if (!chromiumPath) throw new Error("Chromium was not found: install it, or set SKEIN_CHROMIUM to its path.");
  writeRequestRecords(() => {});
  const dataFolder = mkdtempSync(join(tmpdir(), "skein-pictures-"));
  const host = await startHost({ dataFolder, organizationFile: join(root, "organization.sample.json"), port: 0 });
  const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"] });
  try {
    for (const folder of [readmeFolder, reviewFolder]) mkdirSync(join(root, folder), { recursive: true });
    for (const email of activeUsers) await reportPresence(host.url, email);
    for (const picture of [...readmePictures, ...reviewPictures]) await takePicture(browser, host.url, picture);
    for (const { file } of readmePictures) {
      const { size } = statSync(join(root, file));
      if (size > maxBytes) throw new Error(`${file} has ${size} bytes, more than the allowed ${maxBytes}.`);
    }
  } finally {
    await browser.close();
    await host.stop();
    rmSync(dataFolder, { recursive: true, force: true });
  }
}

async function takePicture(
  browser: Browser,
  url: string,
  { file, options, fragment, visibleText }: Picture,
): Promise<void> {
  const context = await browser.newContext({ ...options, reducedMotion: "reduce" });
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole("button", { name: "Ada Lovelace" }).click();
  await page.locator("main h1").waitFor();
  await page.goto(`${url}/#${fragment}`);
  await page.getByText(visibleText).waitFor();
  await page.mouse.move(0, 0);
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  // Fonts, formulas and the last frame need a moment after the text is there.
  await page.waitForTimeout(1000);
  await page.screenshot({ path: join(root, file) });
  console.log(`${file}: ${Math.round(statSync(join(root, file)).size / 1000)} KB`);
  await context.close();
}

/** Reports a person as active, as their client would. */
async function reportPresence(url: string, email: string): Promise<void> {
  const post = async (path: string, params: Record<string, string>, headers: Record<string, string> = {}) =>
    (await fetch(`${url}/api/v1${path}`, { method: "POST", headers, body: new URLSearchParams(params) })).json();
  const { api_key } = (await post("/dev_fetch_api_key", { username: email })) as { api_key: string };
  const authorization = `Basic ${Buffer.from(`${email}:${api_key}`).toString("base64")}`;
  await post("/users/me/presence", { status: "active" }, { authorization });
}

await main();
process.exit(0);
