import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { test } from "vitest";

/** A real browser, where there is one. */

export const program = [
  process.env.SKEIN_CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
]
  .filter((path) => path !== undefined)
  .find((path) => existsSync(path));
// Whoever has no Chromium still runs the other tests; CI has one.
export const browserTest = test.skipIf(!program && !process.env.CI);

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** What axe has to say of a page: the rules that it breaks, with the elements that break them. */
export async function violations(page: Page): Promise<string[]> {
  // The page takes no script from a string, so the checker is put in by the browser's own debugger.
  await page.evaluate(readFileSync(axe, "utf8"));
  return page.evaluate(async () => {
    const { violations: found } = await (globalThis as any).axe.run();
    return found.map(({ id, nodes }: any) => `${id}: ${nodes.map(({ html }: any) => html).join(" ")}`.slice(0, 600));
  });
}
