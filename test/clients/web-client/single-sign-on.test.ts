import { createDecipheriv } from "node:crypto";
import { describe, expect } from "vitest";
import { transact } from "../../../shared/store/table/transactions.ts";
import { findAccount, updateAccount } from "../../../shared/store/users/accounts.ts";
import { browserTest } from "../../support/browser/browser-test.ts";
import { aPage, consoleErrors, expectNoViolations, urlOf, withBrowser } from "../../support/browser/client-pages.ts";
import { withSettings } from "../../support/organization.ts";
import { aSubject } from "../../support/outside/identity-providers.ts";
import { aPerson, isLocal } from "../../support/world.ts";

/**
 * A user signs in at a real identity provider, in a real browser. On the local host only: a provider redirects to the fleet's own
 * address, and the browser reaches a deployed fleet by another one.
 */

withBrowser();

describe.skipIf(!isLocal())("a sign-in by a provider", () => {
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
      expect(consoleErrors.splice(0).filter((error) => !error.includes("503"))).toEqual([]);
    },
    180_000,
  );

  browserTest(
    "a browser gets a session in place of the API key, and is signed out when it ends",
    async () => {
      const viola = await aPerson("Viola");
      await withSettings({ session_age_limit_seconds: 12 * 3600 }, async () => {
        const page = await aPage();
        const stored = () => page.evaluate(() => JSON.parse(localStorage.getItem("skein-credentials") ?? "null"));
        const signIn = async () => {
          await page.goto(urlOf("/"));
          // As somebody who was signed in before the organization limited sessions.
          await page.evaluate(
            (credentials) => localStorage.setItem("skein-credentials", credentials),
            JSON.stringify({ email: viola.email, apiKey: viola.apiKey }),
          );
          await page.reload();
          await page.getByRole("heading", { name: "Inbox" }).waitFor();
        };
        await signIn();
        const { apiKey } = await stored();
        await page.goto(urlOf("/#settings/account"));
        await page.getByText(/Until /).waitFor();
        if (process.env.SKEIN_PICTURES) await page.screenshot({ path: `${process.env.SKEIN_PICTURES}/session.png` });
        await page.getByRole("button", { name: "Create a new key" }).click();
        await page.getByRole("dialog").getByRole("button", { name: "Create a new key" }).click();
        const newKey = await page.getByLabel("API key", { exact: true }).inputValue();
        const isKept = (await stored()).apiKey === apiKey;

        const account = await findAccount(viola.email);
        const sessions = new Set([...(account?.sessions ?? [])].map((text) => text.replace(/^\d+/, "1000000000")));
        await transact([updateAccount(viola.email, { set: { sessions } })]);
        await page.reload();

        await page.getByText("Your session has ended.").waitFor();
        expect([apiKey === viola.apiKey, isKept, newKey?.length]).toEqual([false, true, 32]);
        expect(await stored()).toBeNull();
        await expectNoViolations(page);
        consoleErrors.splice(0);
      });
    },
    180_000,
  );

  browserTest(
    "in the desktop app, a user signs in in the browser and pastes the code that it shows",
    async () => {
      const viola = await aPerson("Viola");
      const page = await aPage();
      // What the desktop app offers to its pages.
      await page.addInitScript(() => {
        const key = new Uint8Array(32).fill(7);
        const pasted = new Promise<string>((resolve) => Object.assign(globalThis, { paste: resolve }));
        Object.assign(globalThis, { electron_bridge: { decrypt_clipboard: () => ({ key, pasted }) } });
      });
      await page.goto(urlOf("/"));

      const [browser] = await Promise.all([
        page.context().waitForEvent("page"),
        page.getByRole("link", { name: "Sign in with Acme" }).click(),
      ]);
      await browser.getByLabel("sub").fill(aSubject());
      await browser.getByLabel("email").fill(viola.email);
      await browser.getByRole("button", { name: "Sign in" }).click();
      await browser.getByRole("heading", { name: "Back to the app" }).waitFor();
      await browser.getByRole("button", { name: "Copy the code" }).waitFor();
      await expectNoViolations(browser);
      const code = Buffer.from(await browser.getByLabel("Code").inputValue(), "hex");
      if (process.env.SKEIN_PICTURES) await browser.screenshot({ path: `${process.env.SKEIN_PICTURES}/code.png` });
      const decipher = createDecipheriv("aes-256-gcm", Buffer.alloc(32, 7), code.subarray(0, 12));
      decipher.setAuthTag(code.subarray(-16));
      const token = `${decipher.update(code.subarray(12, -16), undefined, "utf8")}${decipher.final("utf8")}`;
      await page.evaluate((text) => (globalThis as any).paste(text), token);

      await page.getByRole("heading", { name: "Inbox" }).waitFor();
      expect(consoleErrors.splice(0)).toEqual([]);
    },
    180_000,
  );
});
