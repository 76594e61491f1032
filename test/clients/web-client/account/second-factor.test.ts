import { Secret, TOTP } from "otpauth";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { violationsInEach } from "../../../support/browser/appearances.ts";
import { browserTest } from "../../../support/browser/browser-test.ts";
import {
  aPage,
  consoleErrors,
  enterPassword,
  password,
  signedIn,
  urlOf,
  withBrowser,
} from "../../../support/browser/client-pages.ts";
import { withSettings } from "../../../support/organization.ts";
import { aPerson, call } from "../../../support/world.ts";

/** App passwords and the second factor, as people meet them in the web client. */

withBrowser();

const sizes = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };

/** Pictures of a page at both sizes, light and dark, for whoever asks for them. */
async function picture(page: Page, name: string): Promise<void> {
  if (!process.env.SKEIN_PICTURES) return;
  for (const [size, viewport] of Object.entries(sizes))
    for (const colorScheme of ["light", "dark"] as const) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      await page.screenshot({
        path: `${process.env.SKEIN_PICTURES}/${name}-${size}-${colorScheme}.png`,
        fullPage: true,
      });
    }
  await page.setViewportSize(sizes.desktop);
  await page.emulateMedia({ colorScheme: "light" });
}

const toSettings = async (page: Page) => {
  await page.goto(urlOf("/#settings/account"));
  await page.getByRole("heading", { name: "Second factor", exact: true }).waitFor();
};

browserTest(
  "somebody sets up an authenticator app, signs in with a code and a recovery code, and turns it off",
  async () => {
    const portia = await aPerson("Portia", { password });
    const page = await signedIn(portia, { viewport: sizes.desktop });
    await toSettings(page);
    await picture(page, "factor-off");
    const section = page.locator("form", { has: page.getByRole("heading", { name: "Second factor", exact: true }) });
    await section.getByLabel("Your password").fill(password);
    await section.getByRole("button", { name: "Set up" }).click();
    await page.getByRole("img", { name: "QR code" }).waitFor();
    await picture(page, "factor-setup");
    expect(await violationsInEach(page)).toEqual([]);
    const secret = ((await section.locator("code.key").textContent()) ?? "").replaceAll(" ", "");
    const codeOf = (steps: number) =>
      new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });
    await section.getByLabel("The code that the app shows").fill("000000");
    await section.getByRole("button", { name: "Turn on" }).click();
    await page.getByText("This code is wrong").waitFor();
    await section.getByLabel("The code that the app shows").fill(codeOf(0));
    await section.getByRole("button", { name: "Turn on" }).click();
    await page.getByText("Keep these recovery codes").waitFor();
    const recoveryCodes = await page.locator(".recovery-codes code").allTextContents();
    expect(recoveryCodes).toHaveLength(10);
    await picture(page, "factor-on");
    expect(await violationsInEach(page)).toEqual([]);

    const other = await aPage({ viewport: sizes.phone });
    await other.goto(urlOf("/"));
    await other.getByLabel("Email").fill(portia.email);
    await enterPassword(other);
    const field = other.getByLabel("Code of your authenticator app, or a recovery code");
    await field.waitFor();
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
    await picture(other, "sign-in-code");
    expect(await violationsInEach(other)).toEqual([]);
    await field.fill("000000");
    await other.keyboard.press("Enter");
    await other.getByText("This code is wrong").waitFor();
    await field.fill(codeOf(1));
    await other.keyboard.press("Enter");
    await other.getByRole("heading", { name: "Inbox" }).waitFor();

    await page.reload();
    await page.getByText("10 recovery codes are left").waitFor();
    const end = page.locator("form", { has: page.getByRole("heading", { name: "Turn the second factor off" }) });
    await end.getByLabel("Your password").fill(password);
    await end.getByLabel("Code of your authenticator app, or a recovery code").fill(recoveryCodes[0] ?? "");
    await end.getByRole("button", { name: "Turn off" }).click();
    await page.getByText("Your second factor is off.").waitFor();
    await page.getByRole("button", { name: "Set up" }).waitFor();
    expect(consoleErrors.splice(0).filter((error) => !error.includes("401"))).toEqual([]);
  },
  240_000,
);

browserTest(
  "whoever needs a second factor and has none sets it up at the sign-in, and sees the recovery codes first",
  async () => {
    const nerissa = await aPerson("Nerissa", { password });
    const page = await aPage({ viewport: sizes.phone });
    await withSettings({ second_factor_required_from: 1_700_000_000 }, async () => {
      await page.goto(urlOf("/"));
      await page.getByLabel("Email").fill(nerissa.email);
      await enterPassword(page);
      await page.getByRole("img", { name: "QR code" }).waitFor();
      await picture(page, "sign-in-setup");
      expect(await violationsInEach(page)).toEqual([]);
      const secret = ((await page.locator("code.key").textContent()) ?? "").replaceAll(" ", "");
      await page
        .getByLabel("The code that the app shows")
        .fill(new TOTP({ secret: Secret.fromBase32(secret) }).generate());
      await page.keyboard.press("Enter");
      await page.getByText("Keep these recovery codes").waitFor();
      expect(await page.locator(".recovery-codes code").count()).toBe(10);
      await picture(page, "sign-in-codes");
      await page.getByRole("button", { name: "Continue" }).click();
      await page.getByRole("heading", { name: "Inbox" }).waitFor();
    });
    expect(consoleErrors.splice(0).filter((error) => !error.includes("401"))).toEqual([]);
  },
  180_000,
);

browserTest(
  "somebody makes an app password, which is shown once, and revokes it",
  async () => {
    const portia = await aPerson("Portia", { password });
    const page = await signedIn(portia, { viewport: sizes.desktop });
    await toSettings(page);
    await page.getByLabel("Name of the program").fill("Terminal at work");
    const form = page.locator("form", { has: page.getByRole("heading", { name: "App passwords" }) });
    await form.getByLabel("Your password, if you have one").fill(password);
    await form.getByRole("button", { name: "Create" }).click();
    const key = await form.getByLabel("App password", { exact: true }).inputValue();
    const status = async () =>
      (await call("GET", "/users/me", {}, { credentials: { email: portia.email, apiKey: key } })).status;
    expect(await status()).toBe(200);
    await page.getByRole("list", { name: "App passwords" }).getByText("Terminal at work").waitFor();
    await picture(page, "app-passwords");
    expect(await violationsInEach(page)).toEqual([]);

    await page.getByRole("button", { name: "Revoke Terminal at work" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();

    await page.getByRole("list", { name: "App passwords" }).waitFor({ state: "detached" });
    expect(await form.getByLabel("App password", { exact: true }).count()).toBe(0);
    expect(await status()).toBe(401);
    expect(consoleErrors.splice(0)).toEqual([]);
  },
  180_000,
);
