import { expect } from "vitest";
import { linkMailedTo, pathOf } from "../../support/accounts.ts";
import { browserTest } from "../../support/browser/browser-test.ts";
import {
  aPage,
  consoleErrors,
  expectNoViolations,
  password,
  signedIn,
  urlOf,
  withBrowser,
} from "../../support/browser/client-pages.ts";
import { fetchTopic } from "../../support/messages.ts";
import { anAddress } from "../../support/people.ts";
import { eventually } from "../../support/waiting.ts";
import { aChannel, aPerson } from "../../support/world.ts";

/** A user is invited, signs up, forgets the password and resets it, in a real browser. */

withBrowser();

browserTest(
  "a user joins by an invitation link, writes a message, and resets a forgotten password",
  async () => {
    const owner = await aPerson("Olivia", { role: "owner", password });
    const hall = await aChannel("hall", [owner]);
    const ownerPage = await signedIn(owner);
    await ownerPage.getByRole("button", { name: "Invite people" }).click();
    const dialog = ownerPage.getByRole("dialog", { name: "Invite people" });
    await dialog.getByRole("button", { name: "By link" }).click();
    await dialog.getByLabel(hall.name).check();
    await expectNoViolations(ownerPage);
    await dialog.getByRole("button", { name: "Create a link" }).click();
    const link = await dialog.getByLabel("Invitation link").inputValue();
    const [address, firstPassword, secondPassword] = [
      anAddress("viola"),
      "conceal-me-what-i-am",
      "o-time-thou-must-untangle-this",
    ];
    const page = await aPage();

    await page.goto(urlOf(pathOf(link)));
    await expectNoViolations(page);
    await page.getByLabel("Email").fill(address);
    await page.getByRole("button", { name: "Send me a link" }).click();
    await page.getByRole("heading", { name: "Check your email" }).waitFor();
    await expectNoViolations(page);

    await page.goto(urlOf(await linkMailedTo(address, "Join ")));
    await page.getByLabel("Your name").fill("Viola");
    await page.getByLabel("Choose a password").pressSequentially("password");
    await page.getByText("Too easy to guess.").waitFor();
    await expectNoViolations(page);
    await page.getByLabel("Choose a password").fill(firstPassword);
    await page.getByText("Hard enough to guess.").waitFor();
    await page.getByRole("button", { name: "Join", exact: true }).click();
    await page.getByRole("heading", { name: "Inbox" }).waitFor();

    await page.goto(urlOf(`/#narrow/channel/${hall.id}-x/topic/arrival`));
    await page.getByLabel("Message", { exact: true }).fill("I am not that I play");
    await page.keyboard.press("Control+Enter");
    await eventually(async () =>
      (await fetchTopic(owner, hall, "arrival")).some(({ content }: any) => content.includes("I am not that I play")),
    );

    await page.goto(urlOf("/#settings/account"));
    await page.getByRole("button", { name: "Sign out of this browser" }).click();
    await page.getByRole("link", { name: "Forgot password?" }).click();
    await expectNoViolations(page);
    await page.getByLabel("Email").fill(address);
    await page.getByRole("button", { name: "Send me a link" }).click();
    await page.getByRole("heading", { name: "Check your email" }).waitFor();
    await page.goto(urlOf(await linkMailedTo(address, "Choose a new password")));
    await expectNoViolations(page);
    await page.getByLabel("Choose a password").fill(secondPassword);
    await page.getByLabel("Sign out of all other devices").check();
    await page.getByRole("button", { name: "Set password" }).click();
    await page.getByRole("heading", { name: "Inbox" }).waitFor();

    await dialog.getByRole("button", { name: "Open invitations" }).click();
    await dialog.getByRole("button", { name: "Revoke the link" }).click();
    await expectNoViolations(ownerPage);
    await ownerPage.getByRole("button", { name: "Revoke", exact: true }).click();
    await dialog.getByText("There are no open invitations.").waitFor();
    expect((await page.request.get(urlOf(pathOf(link)))).status()).toBe(404);
    expect(consoleErrors).toEqual([]);
  },
  180_000,
);

browserTest(
  "an administrator on a phone sends, resends and revokes an invitation, and resets the password of a user",
  async () => {
    const owner = await aPerson("Olivia", { role: "owner", password });
    const member = await aPerson("Sebastian");
    const address = anAddress("orsino");
    const page = await signedIn(owner, {
      viewport: { width: 390, height: 780 },
      hasTouch: true,
      colorScheme: "dark",
    });
    const dialog = page.getByRole("dialog", { name: "Invite people" });

    await page.getByRole("button", { name: "Your account" }).click();
    await page.getByRole("menuitem", { name: "Invite people" }).click();
    const addresses = dialog.getByLabel("Email addresses");
    await addresses.fill(`${address}, nobody`);
    await dialog.getByRole("button", { name: "Invite", exact: true }).click();
    await dialog.getByText("nobody: Enter a valid email address.").waitFor();
    // Browsers log an error for each refused request.
    expect(consoleErrors.splice(0)).toEqual([expect.stringContaining("400")]);
    await expectNoViolations(page);
    await addresses.fill(address);
    await dialog.getByLabel("They join as").selectOption("Moderator");
    await dialog.getByLabel("The invitation expires").selectOption("Never");
    await addresses.press("Tab");
    await dialog.getByRole("button", { name: "Invite", exact: true }).press("Enter");
    await linkMailedTo(address, "Olivia has invited you");
    await dialog.getByRole("button", { name: "Open invitations" }).click();
    await dialog.locator("li", { hasText: address }).getByText("Moderator").waitFor();
    await dialog.getByText("never expires").first().waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    await expectNoViolations(page);
    await dialog.getByRole("button", { name: `Resend the invitation to ${address}` }).click();
    const invitation = await linkMailedTo(address, "Olivia has invited you", 2);
    await dialog.getByRole("button", { name: `Revoke the invitation to ${address}` }).click();
    await page.getByRole("button", { name: "Revoke", exact: true }).click();
    await dialog.locator("li", { hasText: address }).waitFor({ state: "detached" });
    expect((await page.request.get(urlOf(invitation))).status()).toBe(404);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });

    await page.getByRole("button", { name: "People", exact: true }).click();
    await page.getByLabel("Filter people").fill("Sebastian");
    await page
      .locator(".people-bar li", { has: page.locator(`a[href*="dm/${member.id}-"]`) })
      .getByRole("button")
      .click();
    await page.getByRole("button", { name: "Reset password" }).click();
    await expectNoViolations(page);
    await page.getByRole("button", { name: "Send a link", exact: true }).click();
    await linkMailedTo(member.email, "Choose a new password");
    expect(consoleErrors).toEqual([]);
  },
  180_000,
);

browserTest("users without the permission see no invite controls", async () => {
  const guest = await aPerson("Antonio", { role: "guest", password });
  const page = await signedIn(guest);

  await page.getByRole("button", { name: "Your account" }).click();
  await page.getByRole("menuitem", { name: "Keyboard shortcuts" }).waitFor();
  expect(await page.getByText("Invite people").count()).toBe(0);
});

browserTest("an invited user can join without JavaScript", async () => {
  const owner = await aPerson("Olivia", { role: "owner" });
  const address = anAddress("cesario");
  await owner.do("POST", "/invites", { invitee_emails: address, stream_ids: [] });
  const page = await aPage({ javaScriptEnabled: false });

  await page.goto(urlOf(await linkMailedTo(address, "Olivia has invited you")));
  await page.getByLabel("Your name").fill("Cesario");
  await page.getByLabel("Choose a password").fill("make-me-a-willow-cabin-at-your-gate");
  await page.getByRole("button", { name: "Join", exact: true }).click();

  await page.getByRole("heading", { name: /^Welcome to/ }).waitFor();
  expect(await page.getByRole("link", { name: "Continue" }).getAttribute("href")).toBe("/");
});
