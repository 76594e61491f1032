import { expect } from "vitest";
import { browserTest } from "../../support/browser/browser-test.ts";
import { consoleErrors, expectNoViolations, urlOf } from "../../support/browser/client-pages.ts";
import { actsOf, twoPeople } from "../../support/browser/two-people.ts";

/** The web client by keyboard alone, and what it says to assistive technology: Portia reads, Nerissa writes. */

const people = twoPeople({ reader: "Portia", writer: "Nerissa", channel: "belmont" });
const { send, heading, field, message, row, focused, openTopic } = actsOf(people);
const isSelected = async (id: number) => /\bselected\b/.test((await row(id).getAttribute("class")) ?? "");

browserTest(
  "a conversation that opens leaves the keys with the messages, and one that is written in keeps them",
  async () => {
    const { page } = people;
    const [first, second] = [await send("caskets", "Gold, silver and lead"), await send("caskets", "Who chooseth me")];
    await send("rings", "This ring will I give away");
    await page.getByRole("navigation").getByText("caskets", { exact: true }).click();
    await row(second).waitFor();
    expect(await focused()).toBe("messages");

    await page.keyboard.press("ArrowDown");
    await expect.poll(() => isSelected(first)).toBe(true);
    await page.keyboard.press("j");
    await expect.poll(() => isSelected(second)).toBe(true);
    await page.keyboard.press("r");
    await page.keyboard.type("jrn is typed");
    expect(await field().inputValue()).toBe("jrn is typed");
    await page.keyboard.press("Control+Enter");
    await message("jrn is typed").waitFor();
    expect(await field().evaluate((element) => element === document.activeElement)).toBe(true);

    await page.keyboard.press("Escape");
    await page.keyboard.press("n");
    await heading("rings").waitFor();
    await message("This ring will I give away").waitFor();
    // What was selected in the conversation that was left does not decide where a reply goes.
    await page.keyboard.press("r");
    expect(await page.locator(".compose-to .recipient-name").textContent()).toContain("› rings");
    await page.keyboard.press("Escape");
  },
);

browserTest("↑ in an empty box edits one's last message, and the focus returns to the box", async () => {
  const { page } = people;
  await openTopic("mercy");
  await field().fill("The quality of mercy");
  await page.keyboard.press("Control+Enter");
  await message("The quality of mercy").waitFor();
  await send("mercy", "It droppeth as the gentle rain");
  await message("gentle rain").waitFor();
  await page.keyboard.press("ArrowUp");
  const editor = page.getByLabel("Text of the message");
  await editor.waitFor();
  expect(await editor.inputValue()).toBe("The quality of mercy");
  await page.keyboard.type(" is not strained");
  await page.keyboard.press("Control+Enter");
  await message("The quality of mercy is not strained").waitFor();
  await editor.waitFor({ state: "detached" });
  expect(await field().evaluate((element) => element === document.activeElement)).toBe(true);

  // A text in the box keeps its own cursor.
  await field().fill("one line");
  await page.keyboard.press("ArrowUp");
  expect(await editor.count()).toBe(0);
  await field().fill("");
  await page.keyboard.press("Escape");
});

browserTest(
  "the selected message is edited, moved and reacted to by its keys, and the focus returns to it",
  async () => {
    const { page } = people;
    const own = await send("bond", "Three thousand ducats", people.reader);
    await openTopic("bond");
    await row(own).waitFor();
    await page.keyboard.press("k");
    await expect.poll(() => isSelected(own)).toBe(true);

    await page.keyboard.press("e");
    await page.getByLabel("Text of the message").waitFor();
    await page.keyboard.press("Escape");
    const hasFocus = () => row(own).evaluate((element) => element === document.activeElement);
    await expect.poll(hasFocus).toBe(true);

    await page.keyboard.press(":");
    await page.getByLabel("Search emoji").fill("rocket");
    await page.getByRole("button", { name: "rocket", exact: true }).waitFor();
    await page.keyboard.press("Enter");
    await row(own).locator(".reaction", { hasText: "🚀" }).waitFor();
    await expect.poll(hasFocus).toBe(true);

    await page.keyboard.press("m");
    const dialog = page.getByRole("dialog");
    await dialog.waitFor();
    await expectNoViolations(page);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await expect.poll(hasFocus).toBe(true);

    await page.keyboard.press("M");
    await page.locator(".toast", { hasText: "The topic “bond” is muted." }).waitFor();
    await page.keyboard.press("M");
    await page.locator(".toast", { hasText: "The topic “bond” has its channel's setting again." }).waitFor();
  },
);

browserTest("new messages are announced with their conversation, once, and muted ones are not", async () => {
  const { page } = people;
  await page.goto(urlOf("#inbox"));
  await people.reader.do("POST", "/user_topics", {
    stream_id: people.channel.id,
    topic: "noise",
    visibility_policy: 1,
  });
  const announcements = page.locator("#announcements p");
  // Events may come twice.
  await page.route("**/api/v1/events?*", async (route) => {
    // The test may end while the client waits for events.
    const response = await route.fetch().catch(() => undefined);
    if (!response) return;
    const body = await response.json();
    await route.fulfill({ response, json: { ...body, events: [...(body.events ?? []), ...(body.events ?? [])] } });
  });
  await send("noise", "Hark, what noise");
  await send("music", "How sweet the moonlight sleeps");
  await people.writer.do("POST", "/messages", { type: "direct", to: [people.reader.id], content: "Madam, he is come" });
  await announcements.filter({ hasText: "he is come" }).waitFor();
  const texts = (await announcements.allTextContents()).slice(-2);
  expect(texts).toEqual([
    `Nerissa in ${people.channel.name}, music: How sweet the moonlight sleeps`,
    "Nerissa directly to you: Madam, he is come",
  ]);
  expect(consoleErrors).toEqual([]);
  await page.unrouteAll({ behavior: "ignoreErrors" });
});
