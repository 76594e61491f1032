import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { browserTest } from "../../../support/browser/browser-test.ts";
import {
  aPage,
  consoleErrors,
  expectNoViolations,
  password,
  signedIn,
  urlOf,
  withBrowser,
} from "../../../support/browser/client-pages.ts";
import { anAddress } from "../../../support/people.ts";
import { eventually } from "../../../support/waiting.ts";
import { aChannel, aPerson, type Person } from "../../../support/world.ts";

/** The first steps of an owner and of a member, and what views say that have nothing to show yet. */

const wide = { viewport: { width: 1440, height: 900 } };
const phone: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true, colorScheme: "dark" };
const logo = join(import.meta.dirname, "../../../support/globe.png");
let channelName: string;

withBrowser(async () => {
  channelName = (await aChannel("rialto", [await aPerson("Antonio")])).name;
});

const steps = (page: Page) => page.locator(".getting-started");
const done = (page: Page) => page.locator(".getting-started .done a, .getting-started .done button").allInnerTexts();
const unseenSteps = async (person: Person) =>
  (await person.do("POST", "/register", { event_types: ["onboarding_steps"] })).onboarding_steps.map(
    ({ name }: { name: string }) => name,
  );
const fits = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
/** Lets the page see an organization in which others and channels are missing. */
const withSnapshot = (page: Page, change: (snapshot: any) => object) =>
  page.route("**/api/v1/register", async (route) => {
    const response = await route.fetch();
    const snapshot = await response.json();
    await route.fulfill({ response, json: { ...snapshot, ...change(snapshot) } });
  });

browserTest("an owner is led to name, logo and invitations, and what was put away does not come back", async () => {
  const portia = await aPerson("Portia", { role: "owner", password });
  await portia.do("PATCH", "/realm", { description: "" });
  onTestFinished(async () => {
    await portia.do("PATCH", "/realm", { description: "" });
    await portia.do("DELETE", "/realm/logo", { night: false });
    await portia.do("DELETE", "/realm/logo", { night: true });
    await portia.do("DELETE", "/realm/icon");
  });
  const page = await signedIn(portia, wide);
  await steps(page).getByText("Set up your organization").waitFor();
  // Others and their channels are there already.
  expect(await done(page)).toEqual(["Create the first channels", "Bring in your team"]);
  await expectNoViolations(page);

  await page.getByRole("link", { name: "Name your organization" }).click();
  await page.getByLabel("Description").fill("Merchants of Venice");
  await page.getByRole("button", { name: "Save" }).first().click();
  await page.goBack();
  await expect.poll(() => done(page)).toContain("Name your organization");

  await page.getByRole("link", { name: "Give it a logo" }).click();
  await page.getByLabel("Choose a picture: Logo, in place of the name").setInputFiles(logo);
  const shown = page.locator("header .realm img");
  await shown.waitFor();
  expect(await shown.getAttribute("alt")).toBe((await portia.do("GET", "/server_settings")).realm_name);
  await page.getByLabel("Choose a picture: Logo in the dark theme").setInputFiles(logo);
  const inDark = page.locator("header .realm source");
  await inDark.waitFor({ state: "attached" });
  expect(await inDark.getAttribute("srcset")).not.toBe(await shown.getAttribute("src"));
  await page.getByLabel("Choose a picture: Square icon").setInputFiles(logo);
  await page.getByRole("button", { name: "Remove: Square icon" }).waitFor();
  await expectNoViolations(page);
  await page.getByRole("button", { name: "Remove: Logo in the dark theme" }).click();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await inDark.waitFor({ state: "detached" });

  await page.goto(urlOf("#recent"));
  await page.getByRole("heading", { name: "Recent conversations" }).waitFor();
  expect(await steps(page).count()).toBe(0);
  await page.goto(urlOf("#inbox"));
  await expect.poll(() => done(page)).toHaveLength(4);
  // What there is to read stays in sight.
  expect((await steps(page).boundingBox())?.height).toBeLessThan(150);
  await steps(page).getByRole("button", { name: "Bring in your team" }).click();
  await page.getByRole("dialog", { name: "Invite people" }).waitFor();
  await page.keyboard.press("Escape");
  const other = await signedIn(portia, phone);
  await steps(other).waitFor();
  expect(await fits(other)).toBe(true);
  await expectNoViolations(other);
  await page.getByRole("button", { name: "Do not show this again" }).click();
  await steps(page).waitFor({ state: "detached" });
  await steps(other).waitFor({ state: "detached" });
  await page.reload();
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  expect(await steps(page).count()).toBe(0);
  expect(await unseenSteps(portia)).not.toContain("intro_inbox_view_modal");
  expect(consoleErrors).toEqual([]);
});

browserTest("a member is led to channels and profile, after which nothing more is shown", async () => {
  const jessica = await aPerson("Jessica", { password });
  const page = await signedIn(jessica, { ...wide, colorScheme: "dark", permissions: ["notifications"] });
  await steps(page).getByText("Welcome to ").waitFor();
  expect(await done(page)).toEqual(["Turn on notifications"]);
  await expectNoViolations(page);

  await page.getByRole("link", { name: "Choose your channels" }).click();
  await page.getByLabel("Filter channels", { exact: true }).fill(channelName);
  await page.getByRole("button", { name: `Join ${channelName}` }).click();
  await page.getByRole("button", { name: `Leave ${channelName}` }).waitFor();
  await page.goto(urlOf("#inbox"));
  await expect.poll(() => done(page)).toContain("Choose your channels");
  await page.getByRole("link", { name: "Introduce yourself" }).click();
  await page.getByLabel("Choose a picture", { exact: true }).setInputFiles(logo);
  await eventually(async () => (await jessica.do("GET", "/users/me")).avatar_url.startsWith("/"));
  await page.goto(urlOf("#inbox"));
  await eventually(async () => !(await unseenSteps(jessica)).includes("intro_inbox_view_modal"));
  await steps(page).waitFor({ state: "detached" });
  expect(consoleErrors).toEqual([]);
});

browserTest("where the browser cannot notify, the step says why, and the list ends without it", async () => {
  const gobbo = await aPerson("Gobbo", { password });
  await aChannel("ducats", [gobbo]);
  const page = await aPage(phone);
  await page.addInitScript(() => {
    // As in a tab on an iPhone.
    const window = globalThis as any;
    delete window.Notification;
    window.navigator.standalone = false;
  });
  await signedIn(gobbo, {}, page);
  await steps(page).getByText("On an iPhone or iPad, first add Skein to the Home Screen").waitFor();
  expect(await done(page)).toEqual(["Choose your channels"]);
  await steps(page).getByRole("link", { name: "Introduce yourself" }).click();
  await page.getByLabel("Choose a picture", { exact: true }).setInputFiles(logo);
  await eventually(async () => (await gobbo.do("GET", "/users/me")).avatar_url.startsWith("/"));
  await page.goto(urlOf("#inbox"));
  await eventually(async () => !(await unseenSteps(gobbo)).includes("intro_inbox_view_modal"));
  await steps(page).waitFor({ state: "detached" });
  expect(consoleErrors).toEqual([]);
});

browserTest("somebody alone is told so, and an invitation does the step", async () => {
  const shylock = await aPerson("Shylock", { role: "owner", password });
  const page = await aPage({ ...phone, colorScheme: "light" });
  await withSnapshot(page, ({ realm_users }) => ({
    realm_users: realm_users.filter(({ user_id }: any) => user_id === shylock.id),
    ...{ subscriptions: [], unsubscribed: [], never_subscribed: [] },
  }));
  await signedIn(shylock, {}, page);
  await page.getByText("You aren't in any channel yet.").waitFor();
  await steps(page).getByRole("button", { name: "Bring in your team" }).waitFor();
  expect(await done(page)).not.toContain("Bring in your team");
  await page.goto(urlOf("#channels"));
  await page.getByText("There are no channels yet.").waitFor();
  await expectNoViolations(page);
  await page.goto(urlOf("#inbox"));

  await shylock.do("POST", "/invites", { invitee_emails: anAddress("tubal"), stream_ids: [] });
  await expect.poll(() => done(page)).toContain("Bring in your team");
  const { invites } = await shylock.do("GET", "/invites");
  for (const { id } of invites) await shylock.do("DELETE", `/invites/${id}`);
  expect(await fits(page)).toBe(true);
  expect(consoleErrors).toEqual([]);
});

browserTest("each view that is empty says what belongs there", async () => {
  const lorenzo = await aPerson("Lorenzo", { password });
  const page = await signedIn(lorenzo, phone);
  for (const [view, text] of [
    ["narrow/is/starred", "Messages you star appear here"],
    ["narrow/is/mentioned", "Messages that mention you appear here."],
    ["narrow/is/dm", "Your direct messages appear here."],
    ["feed", "Messages in your channels and your direct messages appear here."],
    ["recent", "Conversations in your channels and direct messages appear here"],
    ["drafts", "Messages you start"],
    ["scheduled", "Messages you schedule appear here."],
    ["settings/bots", "A bot is an account for a program"],
  ] as const) {
    await page.goto(urlOf(`#${view}`));
    await page.getByText(text).first().waitFor();
  }
  expect(consoleErrors).toEqual([]);
});
