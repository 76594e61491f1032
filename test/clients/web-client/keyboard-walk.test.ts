import { expect } from "vitest";
import { browserTest } from "../../support/browser/browser-test.ts";
import { consoleErrors, expectNoViolations, password } from "../../support/browser/client-pages.ts";
import { actsOf, twoPeople } from "../../support/browser/two-people.ts";

/** A day of work by keyboard alone: Miranda works, Ferdinand writes to her. */

const people = twoPeople({ reader: "Miranda", writer: "Ferdinand", channel: "island" });
const { send, heading, field, message, row, focused, openTopic } = actsOf(people);
const press = (key: string) => people.page.keyboard.press(key);
const type = (text: string) => people.page.keyboard.type(text);

/** Presses a key until what has the focus is called so. */
async function pressUntil(key: string, name: RegExp, most = 60) {
  const seen: string[] = [];
  for (let count = 0; count < most; count++) {
    await press(key);
    const label = await focused();
    if (name.test(label)) return;
    seen.push(label);
  }
  throw new Error(`${key} did not lead to ${name}, but to ${seen.join(" | ")}`);
}
const hasFocus = (id: number) => row(id).evaluate((element) => element === document.activeElement);
const expectFocus = (name: RegExp) => expect.poll(focused).toMatch(name);

browserTest("a list of messages is one Tab stop, with a toolbar for the selected message", async () => {
  const { page } = people;
  const first = await send("tempest", "I have [done nothing](https://globe.test) but in care of thee");
  const code = `\`\`\`\n${"More to know did never meddle with my thoughts ".repeat(8)}\n\`\`\``;
  const second = await send("tempest", code);
  await openTopic("tempest");
  await row(second).waitFor();
  // Nothing but the list itself is reachable before a message is selected.
  await expectFocus(/^messages$/);
  await press("Tab");
  expect(await page.evaluate(() => document.activeElement?.closest(".message"))).toBe(null);
  await press("Shift+Tab");
  await expectFocus(/^messages$/);

  await press("ArrowDown");
  await expect.poll(() => hasFocus(first)).toBe(true);
  const inMessage: string[] = [];
  for (
    await press("Tab");
    await page.evaluate(() => document.activeElement?.closest(".message") != null);
    await press("Tab")
  )
    inMessage.push(`${await focused()}`);
  expect(inMessage.map((label) => label.replace(/^\d.*M$/, "the time"))).toEqual([
    "Ferdinand",
    "the time",
    "done nothing",
    expect.stringMatching(/^React with/),
  ]);
  await press("Shift+Tab");
  await expectFocus(/^React with/);
  await pressUntil("ArrowRight", /^Star$/);
  await press("Enter");
  await expectFocus(/^Remove star$/);
  await press("End");
  await press("Enter");
  await press("ArrowDown");
  await press("Escape");
  // The browser hides the menu at once, and reports it to the page a moment later.
  await page.locator(".menu-list").waitFor({ state: "detached" });
  await expectFocus(/^More$/);
  await press("Enter");
  await page.getByRole("menuitem", { name: "Move" }).press("Enter");
  await page.getByRole("dialog", { name: "Move messages" }).waitFor();
  await press("Escape");
  await expectFocus(/^More$/);
  // Tab comes back to the button that was left.
  await press("Tab");
  await press("Shift+Tab");
  await expectFocus(/^More$/);
  await press("Escape");
  await expect.poll(() => hasFocus(first)).toBe(true);
  await press("ArrowDown");
  await expect.poll(() => hasFocus(second)).toBe(true);
  await expectNoViolations(page);
  // What does not fit is moved by the arrow keys.
  const block = row(second).locator("pre");
  await pressUntil("Tab", /^More to know/);
  await press("ArrowRight");
  await expect.poll(() => block.evaluate((element) => element.scrollLeft)).toBeGreaterThan(0);
});

browserTest("all that one does in a day is done by keyboard", { timeout: 180_000 }, async () => {
  const { page, reader, writer } = people;
  await send("log", "Full many a lady I have eyed");
  await writer.do("POST", "/messages", { type: "direct", to: [reader.id], content: "Admired Miranda" });

  // Signs out and in.
  await press("Control+k");
  await type("inbox");
  await press("Enter");
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  await pressUntil("Shift+Tab", /^Your account$/);
  await press("Enter");
  await press("ArrowUp");
  await expectFocus(/^Sign out$/);
  await press("Enter");
  await page.getByLabel("Email").waitFor();
  await pressUntil("Tab", /^Email|email$|INPUT/);
  await page.getByLabel("Email").evaluate((element) => element === document.activeElement);
  await type(reader.email);
  await press("Tab");
  await type(password);
  await press("Enter");
  await page.getByRole("heading", { name: "Inbox" }).waitFor();

  // Opens a conversation of the inbox, answers, and changes the answer.
  await page.locator("#messages .conversation", { hasText: "log" }).waitFor();
  await pressUntil("ArrowDown", /^log$/);
  await press("Enter");
  await heading("log").waitFor();
  await message("Full many a lady").waitFor();
  await press("r");
  await type("I do not know one of my sex");
  await press("Control+Enter");
  await message("one of my sex").waitFor();
  await press("ArrowUp");
  await page.getByLabel("Text of the message").waitFor();
  await type(", no woman's face remember");
  await press("Control+Enter");
  await message("no woman's face remember").waitFor();
  await press("Escape");

  // Reacts, quotes and stars.
  await press("ArrowUp");
  await press("ArrowUp");
  await press(":");
  await page.getByLabel("Search emoji").waitFor();
  await type("rocket");
  await page.getByRole("button", { name: "rocket", exact: true }).waitFor();
  await press("Enter");
  await page.locator(".reaction", { hasText: "🚀" }).waitFor();
  await press(">");
  await expect.poll(() => field().inputValue()).toContain("```quote");
  await press("Escape");
  await press("ArrowUp");
  await press("*");

  // Begins a topic, and a direct conversation.
  await press("c");
  await pressUntil("Shift+Tab", /^Topic$/);
  await type("chess");
  await pressUntil("Tab", /^Message$/);
  await type("Sweet lord, you play me false");
  await press("Control+Enter");
  await heading("chess").waitFor();
  await message("you play me false").waitFor();
  await press("Escape");
  await press("x");
  await expectFocus(/^Add a person$/);
  await type(writer.name ?? "Ferdinand");
  await press("Enter");
  await pressUntil("Tab", /^Message$/);
  await type("I would not wish any companion but you");
  await press("Control+Enter");
  await page.getByRole("heading", { name: "Ferdinand" }).waitFor();
  await message("any companion but you").waitFor();
  await press("Escape");

  // Finds: by search, by the palette and in the sidebar.
  await press("/");
  await type("is:starr");
  await press("ArrowDown");
  await press("Enter");
  await press("Enter");
  await page.getByRole("heading", { name: "Starred messages" }).waitFor();
  await press("Control+k");
  await type("chess");
  await press("Enter");
  await heading("chess").waitFor();
  await press("q");
  await type("tempest");
  // The sidebar shows a topic once it knows the channel's topics.
  await page
    .getByRole("link", { name: /^tempest/ })
    .first()
    .waitFor();
  await pressUntil("Tab", /^tempest/);
  await press("Enter");
  await heading("tempest").waitFor();
  await page.locator("#sidebar-filter").fill("");

  // Reads what came, mutes, and marks the rest as read.
  await press("Control+k");
  await type("chess");
  await press("Enter");
  await heading("chess").waitFor();
  await send("news", "My foot my tutor?");
  await page.getByRole("navigation").getByText("news", { exact: true }).waitFor();
  await press("n");
  await heading("news").waitFor();
  await press("M");
  await page.locator(".toast", { hasText: "muted" }).waitFor();
  await press("Control+z");
  await send("later", "Here's my hand");
  await press("I");
  await page.locator("#messages .conversation", { hasText: "later" }).waitFor();
  await pressUntil("Tab", /^Mark everything as read$/);
  await press("Enter");
  await page.getByText("You have read everything.").waitFor();

  // The help, a setting, and a profile; the focus returns to what opened them.
  await press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  await press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await press("g");
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  await pressUntil("Tab", /^Appearance/);
  await press("Enter");
  await expect.poll(() => page.url()).toMatch(/#settings\/appearance$/);
  await pressUntil("Shift+Tab", /Your profile$/);
  await press("Enter");
  await page.getByRole("dialog", { name: "Miranda" }).waitFor();
  await press("Escape");
  await expectFocus(/Your profile$/);
  expect(consoleErrors).toEqual([]);
});
