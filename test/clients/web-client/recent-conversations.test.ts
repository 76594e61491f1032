import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { Channel } from "../../../shared/store/channels/channels.ts";
import { browserTest, violations } from "../../support/browser/browser-test.ts";
import { password, signedIn, urlOf, withBrowser } from "../../support/browser/client-pages.ts";
import { aHistory } from "../../support/table/seeding.ts";
import { unique } from "../../support/unique.ts";
import { aChannel, aPerson, type Person } from "../../support/world.ts";

/** The list of recent conversations: Oliver writes, and Audrey sees the list in a browser. */

const topicCount = 150;
let audrey: Person;
let oliver: Person;
let touchstone: Person;
let sheep: Channel;
let page: Page;

const rows = () => page.locator(".recent li");
const row = (text: string) => page.locator(".recent li", { hasText: text });
const titles = () => page.locator(".recent .conversation").allTextContents();

const send = async (topic: string, content: string): Promise<number> =>
  (await oliver.do("POST", "/messages", { type: "channel", to: sheep.id, topic, content })).id;

/** Scrolls to the end of the list, and returns the titles of all rows in their order. */
async function scrollThrough(): Promise<string[]> {
  const seen: string[] = [];
  for (;;) {
    for (const title of await titles()) if (!seen.includes(title)) seen.push(title);
    const isAtEnd = await page.evaluate(() => {
      const frame = document.getElementById("messages") as HTMLElement;
      frame.scrollBy(0, 300);
      return frame.scrollTop + frame.clientHeight >= frame.scrollHeight - 1;
    });
    if (isAtEnd && (await page.getByText("These are all of them.").isVisible())) return seen;
    await page.waitForTimeout(20);
  }
}

withBrowser(async () => {
  audrey = await aPerson("Audrey", { password });
  oliver = await aPerson("Oliver");
  touchstone = await aPerson("Touchstone");
  sheep = await aChannel("sheep", [audrey, oliver]);
  const busy = await aChannel("busy", [audrey, oliver]);
  const senderId = () => oliver.id;
  // The oldest conversation is a direct one, then come the topics, and then one topic with more messages than a page.
  await touchstone.do("POST", "/messages", { type: "direct", to: [audrey.id], content: "I press in here, sir" });
  await aHistory(topicCount, { channel: sheep, senderId, topic: (index) => `topic ${index}.` });
  await aHistory(400, { channel: busy, senderId, topic: () => "noise" });
  page = await signedIn(audrey);
});

browserTest(
  "all conversations are listed in their order, with few rows in the page",
  { timeout: 120_000 },
  async () => {
    await page.goto(urlOf("#recent"));
    await row("noise").waitFor();
    await row(`topic ${topicCount - 1}.`).waitFor();
    expect(await rows().count()).toBeLessThan(70);
    expect(await violations(page)).toEqual([]);

    const seen = await scrollThrough();
    const topics = Array.from({ length: topicCount }, (_, index) => `${sheep.name} › topic ${topicCount - 1 - index}.`);
    expect(seen.map((title) => title.trim())).toEqual([expect.stringContaining("› noise"), ...topics, "Touchstone"]);
    expect(await rows().count()).toBeLessThan(70);
    await row("Touchstone").getByText("1 unread").waitFor();
    // Who sent the newest message and when is fetched for the rows on the screen.
    await row("topic 0.").getByText("Oliver").waitFor();
    await row("topic 0.")
      .locator("time", { hasText: /\d:\d\d/ })
      .waitFor();
  },
);

browserTest("a new message, a move and a deletion change the list at once", async () => {
  await page.goto(urlOf("#inbox"));
  await page.goto(urlOf("#recent"));
  await row("noise").waitFor();
  const first = () => titles().then(([title]) => title?.trim());

  const sent = await send("topic 103.", "Sweet are the uses of adversity");
  await expect.poll(first, { timeout: 30_000 }).toBe(`${sheep.name} › topic 103.`);
  await row("topic 103.").getByText("2 unread").waitFor();
  // Who wrote last, and how it begins: also after an edit, and not what is to be opened first.
  const words = row("topic 103.").locator(".words");
  await expect.poll(() => words.textContent()).toBe("Oliver: Sweet are the uses of adversity");
  await oliver.do("PATCH", `/messages/${sent}`, { content: "Sweet are **toads**\n```spoiler jewel\nin its head\n```" });
  await expect.poll(() => words.textContent()).toMatch(/^Oliver: Sweet are toads\s+jewel$/);

  await oliver.do("PATCH", `/messages/${sent}`, {
    topic: "adversity",
    propagate_mode: "change_one",
    send_notification_to_new_thread: false,
  });
  await expect.poll(first, { timeout: 30_000 }).toBe(`${sheep.name} › adversity`);

  await page.getByLabel("Filter conversations").fill("topic 103.");
  await row("topic 103.").getByText("1 unread").waitFor();
  expect(await rows().count()).toBe(1);
  await page.getByLabel("Filter conversations").fill("");

  await (await anAdministrator()).do("DELETE", `/messages/${sent}`);
  await expect.poll(first, { timeout: 30_000 }).toContain("› noise");
  await row("adversity").waitFor({ state: "detached" });
});

browserTest("the inbox shows who wrote last, the first words and when, and asks for what it shows only", async () => {
  const asked: number[] = [];
  page.on("request", (request) => {
    const ids = new URL(request.url()).searchParams.get("message_ids");
    if (ids) asked.push(...JSON.parse(ids));
  });
  const inboxRow = (name: string) =>
    page.locator(".inbox li").filter({ has: page.locator(".conversation").getByText(name, { exact: true }) });
  const words = (text: string) => inboxRow(text).locator(".words").textContent();
  await page.goto(urlOf("#inbox"));
  await page.reload();
  await inboxRow("Touchstone").waitFor();
  await expect.poll(() => words("Touchstone")).toBe("Touchstone: I press in here, sir");
  await inboxRow("noise")
    .locator("time", { hasText: /\d:\d\d/ })
    .waitFor();
  await inboxRow("noise").getByText("400 unread").waitFor();
  expect(await violations(page)).toEqual([]);
  expect(asked.length).toBeGreaterThan(2);
  expect(asked.length).toBeLessThan(100);
  expect(new Set(asked).size).toBe(asked.length);

  const { messages } = await touchstone.do("GET", "/messages", { anchor: "newest", num_before: 1, num_after: 0 });
  await touchstone.do("PATCH", `/messages/${messages[0].id}`, { content: "Call me **not** fool" });
  await expect.poll(() => words("Touchstone")).toBe("Touchstone: Call me not fool");
  const count = asked.length;
  const content = "Well, this is the forest of Arden";
  await touchstone.do("POST", "/messages", { type: "direct", to: [audrey.id], content });
  await expect.poll(() => words("Touchstone")).toBe(`Touchstone: ${content}`);
  expect(asked.length).toBe(count);
});

const anAdministrator = () => aPerson("Duke", { role: "administrator" });

browserTest("a filter finds old conversations, and unread ones are found without the server", async () => {
  await page.goto(urlOf("#inbox"));
  await page.goto(urlOf("#recent"));
  await page.getByLabel("Filter conversations").fill("touchst");
  await row("Touchstone").waitFor();
  await page.getByLabel("Filter conversations").fill("nothing like this");
  await page.getByText("No matching conversations.").waitFor();
  await page.getByLabel("Filter conversations").fill("");
  await page.getByLabel("Unread").check();
  await row(`topic ${topicCount - 1}.`).waitFor();
});

browserTest("a bad link is explained in words, without a compose box", async () => {
  const cell = await aChannel("cell", [oliver], { inviteOnly: true });
  const links: [string, RegExp][] = [
    ["nowhere", /not found: “nowhere”/],
    ["narrow", /does not say which messages/],
    ["narrow/channel", /ends after “channel”/],
    ["narrow/dm/nobody-dm", /does not name users/],
    [
      "narrow/channel/999999999-x",
      /link or search names a channel that does not exist, or whose messages you may not read/,
    ],
    [
      `narrow/channel/${cell.id}-cell/topic/x`,
      /link or search names a channel that does not exist, or whose messages you may not read/,
    ],
    [`channels/${cell.id}`, /names a channel that does not exist, or that you may not see/],
    ["narrow/dm/999999999-dm", /names a user who does not exist/],
    ["narrow/sender/999999999", /names a user who does not exist/],
    ["narrow/weather/fair", /does not understand this link or search: unknown operator weather/],
    ["narrow/channel/no-such-channel", /link or search names a channel that does not exist/],
    ["narrow/sender/nobody.40a.test", /link or search names a user who does not exist/],
    ["narrow/is/lovely", /unknown 'is' operand lovely/],
  ];
  const field = page.getByLabel("Message", { exact: true });
  for (const [link, problem] of links) {
    await page.goto(urlOf(`#narrow/channel/${sheep.id}-x/topic/topic%201.`));
    await field.waitFor();
    await page.goto(urlOf(`#${link}`));
    await page.getByText(problem).waitFor();
    expect([link, await page.locator(".compose").count()]).toEqual([link, 0]);
  }
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Back", exact: true }).click();
  await field.waitFor();
  await page.goto(urlOf("#narrow/dm/999999999-dm"));
  await page.locator(".page").getByRole("link", { name: "Inbox" }).click();
  await page.getByRole("heading", { name: "Inbox" }).waitFor();

  // Topics begin with a link to one that has no message.
  await page.goto(urlOf(`#narrow/channel/${sheep.id}-x/topic/untrodden`));
  await page.getByText("There are no messages here yet.").waitFor();
  await field.waitFor();
});

browserTest(
  "a link to a message that is no longer there shows its conversation, and where the message is",
  async () => {
    const field = page.getByLabel("Message", { exact: true });
    const notice = page.locator(".main .banner");
    const near = (id: number) => urlOf(`#narrow/channel/${sheep.id}-x/topic/topic%205./near/${id}`);
    const [movedText, keptText] = [unique("This is no flattery"), unique("That feelingly persuade me")];
    const moved = await send("topic 5.", movedText);
    const deleted = await send("topic 5.", "These are counsellors");
    const kept = await send("topic 5.", keptText);
    await oliver.do("PATCH", `/messages/${moved}`, {
      topic: "winter wind",
      propagate_mode: "change_one",
      send_notification_to_new_thread: false,
    });
    await (await anAdministrator()).do("DELETE", `/messages/${deleted}`);

    await page.goto(near(deleted));
    await notice.getByText("The linked message is not here: it was deleted").waitFor();
    await page.locator("#messages").getByText(keptText).waitFor();
    await field.waitFor();
    await page.goto(near(900_000_000_000_000));
    await notice.getByText("it never existed").waitFor();
    await page.locator("#messages").getByText(keptText).waitFor();

    await page.goto(near(moved));
    const newPlace = notice.getByRole("link", { name: `${sheep.name} › winter wind` });
    await newPlace.waitFor();
    await page.locator("#messages").getByText(keptText).waitFor();
    // A link under the pointer is underlined, whether others are or not.
    await page.mouse.move(0, 0);
    expect(await violations(page)).toEqual([]);
    await newPlace.click();
    await page.locator("#messages").getByText(movedText).waitFor();
    await notice.waitFor({ state: "detached" });
    await page.goto(near(kept));
    await page.locator("#messages").getByText(keptText).waitFor();
    expect(await notice.count()).toBe(0);
  },
);

browserTest("the list continues when the server can be reached again", async () => {
  await page.goto(urlOf("#inbox"));
  let failures = 0;
  await page.route("**/topics?*", (route) => (failures++ < 2 ? route.abort("connectionreset") : route.continue()));
  await page.goto(urlOf("#recent"));
  await row(`topic ${topicCount - 1}.`).waitFor();
  expect(failures).toBeGreaterThan(2);
  await page.context().close();
});
