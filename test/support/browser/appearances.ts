import type { Page } from "playwright-core";
import { violations } from "./browser-test.ts";

/** What readers ask their system for. */
export const lightAndDark = [{ colorScheme: "light" }, { colorScheme: "dark" }] as const;
export const allAppearances = [
  ...lightAndDark,
  { colorScheme: "light", contrast: "more" },
  { colorScheme: "dark", contrast: "more" },
  { colorScheme: "dark", forcedColors: "active" },
] as const;

const ofColours = ["color-contrast", "link-in-text-block"];

/** What axe finds in each appearance. What does not depend on colours is checked in the first only. */
export async function violationsInEach(
  page: Page,
  appearances: readonly (typeof allAppearances)[number][] = allAppearances,
): Promise<string[]> {
  const found: string[] = [];
  for (const [index, appearance] of appearances.entries()) {
    await page.emulateMedia({
      // What fades in has less contrast meanwhile.
      reducedMotion: "reduce",
      ...{ contrast: "no-preference", forcedColors: "none" },
      ...appearance,
    });
    for (const violation of await violations(page, index === 0 ? undefined : ofColours))
      found.push(`${Object.values(appearance).join(", ")}: ${violation}`);
  }
  return found;
}
