import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { test } from "vitest";
import { chromiumPath } from "./chromium.ts";

/** Browser tests: skipped on machines without Chromium, except in CI, where Chromium is required. */

export { chromiumPath };
export const browserTest = test.skipIf(!chromiumPath && !process.env.CI);

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** The accessibility violations that axe finds on a page, with the elements concerned: of all rules, or of those that are named. */
export async function violations(page: Page, rules?: readonly string[]): Promise<string[]> {
  // The page's security policy forbids inline scripts, so axe is injected through the debugger.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(readFileSync(axe, "utf8"));
  return page.evaluate(async (named) => {
    // What is still appearing has less contrast than when it is there.
    await Promise.allSettled(document.getAnimations().map(({ finished }) => finished));
    const { violations: found } = await (globalThis as any).axe.run(document, {
      // What passes is not described.
      resultTypes: ["violations"],
      ...(named && { runOnly: named }),
    });
    return found.map(({ id, nodes }: any) => `${id}: ${nodes.map(({ html }: any) => html).join(" ")}`.slice(0, 600));
  }, rules);
}
