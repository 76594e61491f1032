import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { aNewOrganization, anArchive, owner } from "../../../import/new-organization.ts";
import { browserTest, chromiumPath, violations } from "../../../support/browser/browser-test.ts";
import type { PrivateHost } from "../../../support/hosts/private-host.ts";

/** An owner moves in from another chat without a terminal, on a computer and on a phone. */

const password = "a-book-drowned";
const archive = join(mkdtempSync(join(tmpdir(), "skein-moving-in-")), "export.tar.gz");
const broken = join(mkdtempSync(join(tmpdir(), "skein-moving-in-")), "holidays.zip");
const screenshots = process.env.SKEIN_SCREENSHOTS;
const phone: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true, colorScheme: "dark" };
const computer: BrowserContextOptions = { viewport: { width: 1440, height: 900 } };

let browser: Browser | undefined;
const hosts: PrivateHost[] = [];
beforeAll(async () => {
  if (!chromiumPath) return;
  writeFileSync(archive, anArchive());
  writeFileSync(broken, "no archive");
  if (screenshots) mkdirSync(screenshots, { recursive: true });
  browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"] });
}, 120_000);
afterAll(async () => {
  await browser?.close();
  for (const host of hosts) await host.stop();
});

async function signIn(page: Page): Promise<void> {
  await page.getByLabel("Email").fill(owner);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
}

const fits = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);

for (const [device, options] of [
  ["computer", computer],
  ["phone", phone],
] as const)
  browserTest(
    `an owner uploads an archive on a ${device}, reads what comes, and confirms`,
    async () => {
      const host = await aNewOrganization(password);
      hosts.push(host);
      const page = await (browser as Browser).newContext(options).then((context) => context.newPage());
      page.setDefaultTimeout(60_000);
      const look = async (name: string) => {
        expect([name, await fits(page), await violations(page)]).toEqual([name, true, []]);
        if (screenshots) await page.screenshot({ path: join(screenshots, `${device}-${name}.png`), fullPage: true });
      };
      await page.goto(host.url);
      await signIn(page);
      await page.goto(`${host.url}/#organization/import`);
      const file = page.getByLabel("File of the export");
      const upload = page.getByRole("button", { name: "Upload and check" });
      await file.waitFor();
      expect(await upload.isDisabled()).toBe(true);
      await look("empty");

      await file.setInputFiles(broken);
      await upload.click();
      await page.getByRole("alert").getByText("holidays.zip").waitFor();
      await look("refused");

      await file.setInputFiles(archive);
      await upload.click();
      await page.getByRole("heading", { name: "Checking export.tar.gz" }).waitFor();
      await page.getByRole("heading", { name: "Milan can be imported" }).waitFor();
      expect(await page.getByLabel("What would be imported").textContent()).toContain("Imported:");
      await look("checked");
      // Found again in this browser.
      await page.reload();
      await page.getByRole("heading", { name: "Milan can be imported" }).waitFor();

      await page.getByRole("button", { name: "Import", exact: true }).click();
      await page.getByRole("dialog").getByText("Replace this organization?").waitFor();
      await look("question");
      await page.getByRole("dialog").getByRole("button", { name: "Import", exact: true }).click();
      await page.waitForURL(/\/imports\//);
      await page.getByRole("heading", { name: "Milan is being imported" }).waitFor();
      await look("importing");
      await page.getByRole("heading", { name: "Milan has been imported" }).waitFor();
      await look("done");

      await page.getByRole("link", { name: "Sign in" }).click();
      await signIn(page);
      await page.goto(`${host.url}/#channels`);
      await page.getByText("island").locator("visible=true").first().waitFor();
      await page.goto(`${host.url}/#organization/import`);
      await page.getByLabel("File of the export").waitFor();
      await page.context().close();
    },
    240_000,
  );

browserTest(
  "an archive that has been checked can be deleted",
  async () => {
    const fresh = await aNewOrganization(password);
    hosts.push(fresh);
    const page = await (browser as Browser).newContext(computer).then((context) => context.newPage());
    await page.goto(fresh.url);
    await signIn(page);
    await page.goto(`${fresh.url}/#organization/import`);
    await page.getByLabel("File of the export").setInputFiles(archive);
    await page.getByRole("button", { name: "Upload and check" }).click();
    await page.getByRole("button", { name: "Delete the archive" }).click({ timeout: 60_000 });
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();

    await page.getByRole("alert").getByText("given up").waitFor();
    await page.getByLabel("File of the export").waitFor();
    await page.context().close();
  },
  120_000,
);
