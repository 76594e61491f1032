import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { browserTest } from "../../../support/browser/browser-test.ts";
import {
  consoleErrors,
  expectNoViolations,
  password,
  signedIn,
  urlOf,
  withBrowser,
} from "../../../support/browser/client-pages.ts";
import { fetchMessage, sendDirect } from "../../../support/messages.ts";
import { token } from "../../../support/unique.ts";
import { eventually } from "../../../support/waiting.ts";
import { aChannel, aPerson, type Person } from "../../../support/world.ts";

/** An owner administers the organization in a real browser. */

const moderatorRole = 300;
let owner: Person;
let page: Page;

withBrowser(async () => {
  owner = await aPerson("Olivia", { role: "owner", password });
  page = await signedIn(owner);
});

const fetchRealm = async () => (await owner.call("POST", "/register", { event_types: ["realm"] })).body;
/** Waits until a setting has a value on the server. */
const waitForSetting = (name: string, value: unknown) =>
  eventually(async () => JSON.stringify((await fetchRealm())[`realm_${name}`]) === JSON.stringify(value));
const openSection = async (section: string) => {
  await page.goto(urlOf(`/#organization/${section}`));
  await page.getByRole("link", { name: "Permissions", exact: true }).waitFor();
};
const choice = (name: string) => page.locator(".suggestions li", { has: page.getByText(name, { exact: true }) });
/** Types the name of a choice into a field with a list. */
const search = (label: string, name: string) => page.getByRole("combobox", { name: label, exact: true }).fill(name);
const choose = async (label: string, name: string) => {
  await search(label, name);
  await choice(name).click();
};

browserTest(
  "the organization's name, limits, announcement channel and domains can be changed",
  async () => {
    const news = await aChannel("news", [owner]);
    const previousName = (await fetchRealm()).realm_name;
    onTestFinished(async () => {
      const original = {
        name: previousName,
        description: "",
        topics_policy: "allow_empty_topic",
        message_retention_days: "unlimited",
      };
      await owner.do("PATCH", "/realm", { ...original, name_changes_disabled: false });
    });
    await page.getByRole("button", { name: "Your account" }).click();
    await page.getByRole("menuitem", { name: "Organization" }).click();
    await page.getByRole("link", { name: "General", exact: true }).waitFor();

    await page.getByLabel("Name", { exact: true }).fill('The "Elephant"');
    await page.getByLabel("Description").fill('"best to lodge"');
    await page.getByRole("button", { name: "Save" }).first().click();
    await waitForSetting("description", '"best to lodge"');
    await page.getByRole("link", { name: 'The "Elephant"' }).waitFor();
    await page.getByLabel("Time limit for editing messages").selectOption("Always");
    await waitForSetting("message_content_edit_limit_seconds", null);
    await page.getByLabel("Time limit for editing messages").selectOption("10 minutes");
    await waitForSetting("message_content_edit_limit_seconds", 600);
    await page.getByLabel("Message retention").selectOption("A year");
    await waitForSetting("message_retention_days", 365);
    await page.getByLabel("Message retention").selectOption("Forever");
    await waitForSetting("message_retention_days", -1);
    await page.getByLabel("Messages without a topic").selectOption("Not allowed");
    await waitForSetting("topics_policy", "disable_empty_topic");
    await page.getByLabel("Messages without a topic").selectOption("Allowed");
    await waitForSetting("topics_policy", "allow_empty_topic");
    await choose("Announce new channels in", news.name);
    await waitForSetting("new_stream_announcements_stream_id", news.id);
    await choose("Announce new channels in", "No channel");
    await waitForSetting("new_stream_announcements_stream_id", -1);
    const nameSwitch = page.getByLabel("People cannot change their names");
    await nameSwitch.check();
    await waitForSetting("name_changes_disabled", true);
    await nameSwitch.press("Space");
    await waitForSetting("name_changes_disabled", false);
    await page.getByLabel("Domain", { exact: true }).fill("illyria.test");
    await page.getByLabel("Include subdomains").check();
    await page.getByRole("button", { name: "Add domain" }).click();
    await page.getByText("illyria.test and domains below it").waitFor();
    await expectNoViolations(page);
    await page.getByRole("button", { name: "Remove illyria.test" }).click();
    // The notice that offers to undo it names the domain, too.
    await page.getByRole("button", { name: "Remove illyria.test" }).waitFor({ state: "detached" });

    await owner.do("PATCH", "/realm", { name: previousName, description: "" });
    await page.getByRole("link", { name: previousName, exact: true }).waitFor();
  },
  120_000,
);

browserTest("a switch keeps what was chosen until its event comes, and can be used again before", async () => {
  onTestFinished(async () => {
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await owner.do("PATCH", "/realm", { name_changes_disabled: false, description: "" });
  });
  await openSection("settings");
  // Without a WebSocket, the page polls.
  await page.routeWebSocket(/\/connections|execute-api/, (socket) => socket.close());
  await page.route("**/api/v1/events?*", async (route) => {
    const response = await route.fetch();
    const { events, ...body } = await response.json();
    const others = events?.filter(({ data }: any) => data?.name_changes_disabled === undefined);
    await route.fulfill({ response, json: { ...body, ...(events && { events: others }) } });
  });
  // Ends the poll that waits already.
  await page.reload();
  const nameSwitch = page.getByLabel("People cannot change their names");
  await nameSwitch.check();
  await waitForSetting("name_changes_disabled", true);
  // Another setting draws the page again.
  await owner.do("PATCH", "/realm", { description: "Drawn again" });
  await eventually(async () => (await page.getByLabel("Description").inputValue()) === "Drawn again");
  expect(await nameSwitch.isChecked()).toBe(true);
  await nameSwitch.press("Space");
  await waitForSetting("name_changes_disabled", false);
});

browserTest("a permission can be given to another group, and the permissions fit on a phone", async () => {
  await openSection("permissions");
  const initialGroup = (await fetchRealm()).realm_can_create_public_channel_group;
  onTestFinished(async () => {
    await owner.do("PATCH", "/realm", { can_create_public_channel_group: { new: initialGroup } });
  });
  const { user_groups } = (await owner.call("GET", "/user_groups")).body;
  const idOf = (name: string) => user_groups.find((group: any) => group.name === name).id;

  await choose("Who can create public channels", "Administrators");
  await waitForSetting("can_create_public_channel_group", idOf("role:administrators"));
  await choose("Who can create public channels", "Members");
  await waitForSetting("can_create_public_channel_group", idOf("role:members"));
  // A part of a name gives nobody a permission, unless it is chosen.
  await search("Who can create public channels", "Mod");
  await page.keyboard.press("Tab");
  await page.getByText("There is no group “Mod”.").waitFor();
  expect((await fetchRealm()).realm_can_create_public_channel_group).toBe(idOf("role:members"));
  await page.setViewportSize({ width: 390, height: 780 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  await expectNoViolations(page);
  await page.setViewportSize({ width: 1280, height: 800 });
});

browserTest("a user's role can be changed, and a user deactivated and reactivated", async () => {
  const maria = await aPerson("Maria Chambermaid");
  const letter = await sendDirect(maria, [owner]);
  const roleOf = async () => (await owner.call("GET", `/users/${maria.id}`)).body.user;
  await openSection("people");
  await page.getByLabel("Filter accounts").fill("chambermaid");

  await page.getByLabel("Role of Maria Chambermaid").selectOption("Moderator");
  await eventually(async () => (await roleOf()).role === moderatorRole);
  await expectNoViolations(page);
  await page.getByRole("button", { name: "Deactivate Maria Chambermaid" }).click();
  await page.getByLabel("Their direct messages").check();
  await page.getByText("Deleted content cannot be restored").waitFor();
  await expectNoViolations(page);
  await page.getByRole("button", { name: "Deactivate", exact: true }).click();
  await page.getByText("No matching people.").waitFor();
  expect(await roleOf()).toMatchObject({ is_active: false });
  await eventually(async () => (await fetchMessage(owner, letter)) === undefined);
  await page.getByLabel("Which accounts").selectOption("Deactivated");
  await page.getByRole("button", { name: "Reactivate Maria Chambermaid" }).press("Enter");
  await page.getByText("No matching people.").waitFor();
  expect(await roleOf()).toMatchObject({ is_active: true, role: moderatorRole });
});

browserTest("a person is erased with their deactivation, or afterwards", async () => {
  const [fabian, valentine] = [await aPerson("Fabian Servant"), await aPerson("Valentine Gentleman")];
  const nameOf = async ({ id }: Person) => (await owner.call("GET", `/users/${id}`)).body.user.full_name;
  await openSection("people");
  await page.getByLabel("Which accounts").selectOption("Active");

  await page.getByLabel("Filter accounts").fill("fabian");
  await page.getByRole("button", { name: "Deactivate Fabian Servant" }).click();
  await page.getByLabel("All of this").check();
  await page.getByText("An erased account cannot be reactivated.").waitFor();
  const others = page.getByRole("group").getByRole("checkbox", { disabled: true });
  expect([await others.count(), await others.first().isChecked()]).toEqual([4, true]);
  await expectNoViolations(page);
  await page.getByRole("button", { name: "Deactivate", exact: true }).click();
  await eventually(async () => (await nameOf(fabian)) === "Deleted user");

  await owner.do("DELETE", `/users/${valentine.id}`);
  await page.getByLabel("Filter accounts").fill("valentine");
  await page.getByLabel("Which accounts").selectOption("Deactivated");
  await page.getByRole("button", { name: "Erase Valentine Gentleman" }).click();
  await expectNoViolations(page);
  await page.getByRole("button", { name: "Erase", exact: true }).click();
  await eventually(async () => (await nameOf(valentine)) === "Deleted user");
});

browserTest("all bots are listed with their owners, and can be deactivated and reactivated", async () => {
  const antonio = await aPerson("Antonio");
  const { user_id } = await antonio.do("POST", "/bots", {
    full_name: "Harbour Bell",
    short_name: `bell-${token()}`,
    bot_type: 2,
  });
  const isActive = async () => (await owner.call("GET", `/users/${user_id}`)).body.user.is_active;
  await openSection("bots");
  await page.getByLabel("Filter bots").fill("antonio");

  await page.getByText("Incoming webhook · Antonio").waitFor();
  await expectNoViolations(page);
  await page.getByRole("button", { name: "Deactivate Harbour Bell" }).click();
  await page.getByRole("button", { name: "Deactivate", exact: true }).click();
  await page.getByText("No matching bots.").waitFor();
  expect(await isActive()).toBe(false);
  await page.getByLabel("Which accounts").selectOption("Deactivated");
  await page.getByRole("button", { name: "Reactivate Harbour Bell" }).click();
  await eventually(isActive);
});

browserTest(
  "new people begin with the settings that an administrator chose, and those who are here keep theirs",
  async () => {
    onTestFinished(() =>
      owner.do("PATCH", "/realm/user_settings_defaults", { enter_sends: false, web_home_view: "inbox" }),
    );
    const before = await aPerson("Curio");
    const settingsOf = async (person: Person) =>
      (await person.do("POST", "/register", { event_types: ["user_settings"] })).user_settings;
    await openSection("user-defaults");
    await page.getByLabel("Enter sends the message").check();
    await page.getByLabel("Home view").selectOption("Recent conversations");
    await eventually(async () => (await settingsOf(await aPerson("Valentine"))).web_home_view === "recent_topics");
    expect(await settingsOf(await aPerson("Valentine"))).toMatchObject({ enter_sends: true });
    expect(await settingsOf(before)).toMatchObject({ enter_sends: false, web_home_view: "inbox" });
    await expectNoViolations(page);
    await owner.do("PATCH", "/realm/user_settings_defaults", { enter_sends: false });
    await expect.poll(() => page.getByLabel("Enter sends the message").isChecked()).toBe(false);
  },
);

browserTest("an export is made, downloaded and deleted", async () => {
  await openSection("exports");
  await page.getByLabel("Contents").selectOption("Public channels");
  await page.getByRole("button", { name: "Start" }).click();
  const download = page.getByRole("link", { name: /^Download the archive of / }).first();
  await download.waitFor();
  await expectNoViolations(page);
  const { exports } = await owner.do("GET", "/export/realm");
  expect(await download.getAttribute("href")).toBe(exports.at(-1).export_url);
  const [file] = await Promise.all([page.waitForEvent("download"), download.click()]);
  expect(file.suggestedFilename()).toMatch(/\.tar\.gz$/);
  await page
    .getByRole("button", { name: /^Delete the archive of / })
    .first()
    .click();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("Deleted", { exact: true }).first().waitFor();
});

browserTest("statistics count people, channels and stored files, on a phone too", async () => {
  const countOf = async (label: string) =>
    Number((await page.locator(".figures > div", { hasText: label }).locator("dd").textContent())?.replace(/\D/g, ""));
  await openSection("statistics");
  const [people, channels] = [await countOf("People"), await countOf("Channels")];
  await aPerson("Sir Topas");
  const tower = await aChannel("tower", [owner]);
  await expect.poll(() => countOf("People")).toBe(people + 1);
  await expect.poll(() => countOf("Channels")).toBe(channels + 1);
  await page.getByText(/MB$/).first().waitFor();
  await page.getByLabel("Filter channels", { exact: true }).fill(tower.name);
  await page.locator("main li", { hasText: tower.name }).getByText("New", { exact: true }).waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  await expectNoViolations(page);
  await page.setViewportSize({ width: 1280, height: 800 });
});

browserTest("linkifiers can be added, edited, ordered and removed, and an invalid one is refused", async () => {
  await openSection("linkifiers");
  const listPatterns = async () =>
    (await owner.call("GET", "/realm/linkifiers")).body.linkifiers.map(({ pattern }: any) => pattern);
  const add = async (pattern: string, template: string) => {
    await page.getByLabel("Pattern, a regular expression").fill(pattern);
    await page.getByLabel("URL template").fill(template);
    await page.getByRole("button", { name: "Add", exact: true }).click();
  };

  await add("ticket-(?P<id>[0-9]+)", "https://illyria.test/{id}");
  await page.getByText("https://illyria.test/{id}").waitFor();
  await add("act-(?P<id>[0-9]+)", "https://illyria.test/acts/{nothing}");
  await page.getByRole("alert").waitFor();
  await add("act-(?P<id>[0-9]+)", "https://illyria.test/acts/{id}");
  await page.getByText("https://illyria.test/acts/{id}").waitFor();
  await expectNoViolations(page);
  await page.getByRole("button", { name: "Move up act-(?P<id>[0-9]+)" }).click();
  await eventually(async () => (await listPatterns())[0]?.startsWith("act-"));
  await page.getByRole("button", { name: "Edit act-(?P<id>[0-9]+)" }).click();
  const form = page.getByRole("form", { name: "Edit the linkifier" });
  await form.getByLabel("Pattern, a regular expression").fill("scene-(?P<id>[0-9]+)");
  await form.getByRole("button", { name: "Save" }).click();
  for (const name of ["scene", "ticket"]) {
    await page.getByRole("button", { name: `Remove ${name}-(?P<id>[0-9]+)` }).click();
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByRole("button", { name: `Remove ${name}-(?P<id>[0-9]+)` }).waitFor({ state: "detached" });
  }
  expect(await listPatterns()).toEqual([]);
  // Browsers log an error for the refused request.
  expect(consoleErrors.splice(0)).toEqual([expect.stringContaining("400")]);
});

browserTest("an emoji can be added and removed", async () => {
  await openSection("emoji");

  await page.getByLabel("Name", { exact: true }).fill("yellow_stockings");
  await page.getByLabel("Picture").setInputFiles(join(import.meta.dirname, "../../../support/globe.png"));
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByText(":yellow_stockings:").waitFor();
  await page.waitForFunction(() =>
    [...document.querySelectorAll<HTMLImageElement>("img.custom-emoji")].every(({ naturalWidth }) => naturalWidth > 0),
  );
  await expectNoViolations(page);
  await page.getByRole("button", { name: "Remove yellow_stockings" }).click();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await page.getByText(":yellow_stockings:").waitFor({ state: "detached" });
});

browserTest("a channel becomes a default channel and stops being one", async () => {
  const green = await aChannel("green", [owner]);
  await openSection("default-channels");

  await choose("Add a channel", green.name);
  const remove = page.getByRole("button", { name: `Remove ${green.name}`, exact: true });
  await remove.waitFor();
  await expectNoViolations(page);
  await remove.click();
  await remove.waitFor({ state: "detached" });
  await search("Add a channel", green.name);
  await choice(green.name).waitFor();
});

browserTest("profile fields can be added, filled in, shown and removed", async () => {
  await openSection("profile-fields");
  // Other files have people of the owner's name.
  const twin = await aPerson(`Sebastian ${token()}`);
  const add = async (kind: string, name: string, fillIn: () => Promise<unknown> = async () => {}) => {
    const form = page.getByRole("form", { name: "New profile field" });
    await form.getByLabel("Kind").selectOption(kind);
    await form.getByLabel("Name of the field").fill(name);
    await fillIn();
    await form.getByRole("button", { name: "Add" }).click();
    await page.getByRole("button", { name: `Edit ${name}` }).waitFor();
  };
  const choices = page.getByLabel("Choices, one per line");

  await add("Short text", "Fool of");
  await add("Choice", "House", () => choices.fill("Olivia's\nOrsino's"));
  await add("Date", "Twelfth night");
  await add("People", "Twin");
  await add("External account", "Songbook", () =>
    page.getByLabel("URL, with %(username)s").fill("https://illyria.test/%(username)s"),
  );
  await expectNoViolations(page);
  await page.getByRole("button", { name: "Edit House" }).click();
  const edited = page.getByRole("form", { name: "Edit the profile field" });
  await edited.getByLabel("Choices, one per line").fill("The captain's\nOlivia's\nOrsino's");
  await edited.getByRole("button", { name: "Save" }).click();
  await edited.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Move up House" }).click();
  await eventually(async () => {
    const { custom_fields } = (await owner.call("GET", "/realm/profile_fields")).body;
    return custom_fields[0]?.name === "House";
  });

  await page.goto(urlOf("/#settings/profile"));
  await page.getByLabel("Fool of").fill("**nobody**");
  await page.getByLabel("House").selectOption("The captain's");
  await page.getByLabel("Twelfth night").fill("2027-01-05");
  await page.getByLabel("Songbook").fill("feste");
  await choose("Add someone to Twin", twin.name);
  await page.getByRole("button", { name: "Save your profile" }).click();
  await page.getByText("Your profile is saved.").waitFor();
  await expectNoViolations(page);
  await page.getByRole("button", { name: "Your profile", exact: true }).click();
  const card = page.getByRole("dialog", { name: "Olivia" });
  await card.locator("strong", { hasText: "nobody" }).waitFor();
  await card.getByText("The captain's").waitFor();
  await card.locator('a[href="https://illyria.test/feste"]').waitFor();
  await expectNoViolations(page);
  await page.reload();
  await page.getByRole("button", { name: "Your profile", exact: true }).click();
  await card.locator("strong", { hasText: "nobody" }).waitFor();
  await page.keyboard.press("Escape");

  await openSection("profile-fields");
  for (const name of ["Fool of", "House", "Twelfth night", "Twin", "Songbook"]) {
    await page.getByRole("button", { name: `Remove ${name}` }).click();
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByRole("button", { name: `Remove ${name}` }).waitFor({ state: "detached" });
  }
});

browserTest(
  "folders can be created, renamed, ordered and archived, and a channel can get a folder and permissions",
  async () => {
    const channel = await aChannel("cellar", [owner]);
    const fetchChannel = async () => (await owner.call("GET", `/streams/${channel.id}`)).body.stream;
    await openSection("folders");
    for (const name of ["Cakes", "Ale"]) {
      await page.getByLabel("New folder").fill(name);
      await page.getByRole("button", { name: "Create", exact: true }).click();
      await page.getByLabel(`Name of ${name}`).waitFor();
    }
    await page.getByRole("button", { name: "Move up Ale" }).click();
    await page.getByRole("button", { name: "Move up Ale", disabled: true }).waitFor();
    await page.getByLabel("Name of Ale").fill("Ginger");
    await page.keyboard.press("Enter");
    await page.getByLabel("Name of Ginger").waitFor();
    await expectNoViolations(page);

    await page.goto(urlOf(`/#channels/${channel.id}`));
    await page.getByLabel("Folder", { exact: false }).selectOption("Ginger");
    await eventually(async () => (await fetchChannel()).folder_id !== null);
    await page.getByRole("navigation").getByText("Ginger").waitFor();
    const initialGroup = (await fetchChannel()).can_send_message_group;
    await choose("Who can post", "Administrators");
    await eventually(async () => (await fetchChannel()).can_send_message_group !== initialGroup);
    await page.getByLabel("Messages without a topic").selectOption("Not allowed");
    await eventually(async () => (await fetchChannel()).topics_policy === "disable_empty_topic");
    await expectNoViolations(page);
    await page.getByLabel("Folder", { exact: false }).selectOption("None");
    await eventually(async () => (await fetchChannel()).folder_id === null);

    await openSection("folders");
    for (const name of ["Ginger", "Cakes"]) {
      await page.getByRole("button", { name: `Archive ${name}` }).click();
      await page.getByRole("button", { name: "Archive", exact: true }).click();
      await page.getByLabel(`Name of ${name}`).waitFor({ state: "detached" });
    }
  },
);

browserTest("users who are not administrators see a notice instead of the settings", async () => {
  const member = await aPerson("Fabian", { password });
  const memberPage = await signedIn(member);

  await memberPage.goto(urlOf("/#organization/people"));
  await memberPage.getByText("Only administrators can change the organization.").waitFor();
  expect(await memberPage.getByRole("link", { name: "Permissions", exact: true }).count()).toBe(0);
  expect(consoleErrors).toEqual([]);
});

browserTest("a search of the settings finds them in all sections, where they can be changed", async () => {
  onTestFinished(() => owner.do("PATCH", "/realm", { message_content_edit_limit_seconds: 600 }));
  await openSection("people");
  const field = page.getByLabel("Search the settings");
  const found = page.getByRole("region", { name: "Matching settings" });

  await field.fill("editing messages limit");
  await found.getByLabel("Time limit for editing messages").selectOption("An hour");
  await waitForSetting("message_content_edit_limit_seconds", 3600);
  expect(await found.getByRole("combobox").filter({ visible: true }).count()).toBe(1);
  expect(await found.getByRole("heading").filter({ visible: true }).allInnerTexts()).toEqual(["General", "Messages"]);
  // Also by the name of a choice; a form that is saved as one is whole.
  await field.fill("dark");
  await found.getByLabel("Theme").first().waitFor();
  await field.fill("current password");
  await found.getByLabel("New password").waitFor();
  await expectNoViolations(page);
  await field.fill("Exeunt omnes");
  await page.getByText("No matching settings.").waitFor();
  await field.fill("statist");
  await found.getByRole("link", { name: "Statistics" }).click();
  await expect.poll(() => field.inputValue()).toBe("");
  await expect.poll(() => page.url()).toMatch(/#organization\/statistics$/);

  const member = await aPerson("Bernardo", { password });
  const memberPage = await signedIn(member);
  await memberPage.goto(urlOf("/#settings/profile"));
  await memberPage.getByLabel("Search the settings").fill("edit messages");
  await memberPage.getByText("No matching settings.").waitFor();
  expect(consoleErrors).toEqual([]);
});
