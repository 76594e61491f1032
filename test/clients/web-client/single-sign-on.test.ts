import { expect } from "vitest";
import { browserTest } from "../../support/browser/browser-test.ts";
import { aPage, consoleErrors, expectNoViolations, urlOf, withBrowser } from "../../support/browser/client-pages.ts";
import { aSubject } from "../../support/outside/identity-providers.ts";
import { aPerson } from "../../support/world.ts";

/** A user signs in at a real identity provider, in a real browser. */

withBrowser();

browserTest(
  "a user signs in by the company's provider, and is told when a provider does not answer",
  async () => {
    const viola = await aPerson("Viola");
    const page = await aPage({ viewport: { width: 390, height: 844 } });

    await page.goto(urlOf("/"));
    await page.getByRole("link", { name: "Sign in with Down" }).click();
    await page.getByText("Down does not answer at the moment").waitFor();
    await expectNoViolations(page);
    await page.getByRole("link", { name: "Back to sign-in" }).click();
    await page.getByRole("link", { name: "Sign in with Acme" }).waitFor();
    await expectNoViolations(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    if (process.env.SKEIN_PICTURES) await page.screenshot({ path: `${process.env.SKEIN_PICTURES}/sign-in.png` });
    await page.getByRole("link", { name: "Sign in with Acme" }).click();
    await page.getByLabel("sub").fill(aSubject());
    await page.getByLabel("email").fill(viola.email);
    await page.getByLabel("name").fill("Viola");
    await page.getByRole("button", { name: "Sign in" }).click();

    await page.getByRole("heading", { name: "Inbox" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/");
    // The key is not in the history: the page before is the provider's.
    await page.reload();
    await page.getByRole("heading", { name: "Inbox" }).waitFor();
    expect(consoleErrors.filter((error) => !error.includes("503"))).toEqual([]);
  },
  180_000,
);
