import { beforeEach, expect } from "vitest";
import { browserTest } from "../../support/browser/browser-test.ts";
import { consoleErrors, nextFrames, urlOf } from "../../support/browser/client-pages.ts";
import { actsOf, twoPeople } from "../../support/browser/two-people.ts";
import { aHistory } from "../../support/table/seeding.ts";
import { aChannel } from "../../support/world.ts";

/** Going back shows each view where it was left: Lysander reads, Demetrius has written much. */

let [first, last] = [0, 0];
const topicCount = 400;
const rowHeight = 56;
const people = twoPeople({ reader: "Lysander", writer: "Demetrius", channel: "wood" }, async (prepared) => {
  const senderId = () => prepared.writer.id;
  ({ first, last } = await aHistory(300, { channel: prepared.channel, senderId }));
  const many = await aChannel("court", [prepared.reader, prepared.writer]);
  await aHistory(topicCount, { channel: many, senderId, topic: (index) => `matter ${index}` });
});
const { row, topicUrl, heading, send, field } = actsOf(people);

// Each case, and each repetition of one, loads the page anew, without what an earlier one has left in it.
beforeEach(async () => {
  await people.page?.unrouteAll({ behavior: "ignoreErrors" });
  await people.page?.goto("about:blank");
});

const scrollTop = () => people.page.locator("#messages").evaluate((element) => Math.round(element.scrollTop));
/** What is at the top of the list: a message and its distance from it. Lines have parts of a pixel, and a scroll position has none. */
const atTop = () =>
  people.page.locator("#messages").evaluate((list) => {
    const { top } = list.getBoundingClientRect();
    const rows = [...list.querySelectorAll<HTMLElement>("[data-message-id]")];
    const shown = rows.find((element) => element.getBoundingClientRect().bottom > top + 1);
    return { id: shown?.dataset.messageId, distance: (shown?.getBoundingClientRect().top ?? 0) - top };
  });
const isAtTop = async ({ id, distance }: Awaited<ReturnType<typeof atTop>>) => {
  const now = await atTop();
  return now.id === id && Math.abs(now.distance - distance) <= 1;
};

browserTest("a list of messages, a page of rows and a search are shown where they were left", async () => {
  const { page } = people;
  await page.goto(urlOf(`#narrow/channel/${people.channel.id}-x`));
  // Where it opens depends on what an earlier attempt has read.
  await page.locator("#messages [data-message-id]").first().waitFor();
  await page.goto(urlOf(`#narrow/channel/${people.channel.id}-x/near/${first + 150}`));
  await row(first + 150).waitFor();
  await page.locator("#messages").evaluate((list) => list.scrollBy(0, 333));
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  const selected = page.locator(".message.selected");
  const [selectedId, left] = [await selected.getAttribute("data-message-id"), await atTop()];

  await page.goto(urlOf("#inbox"));
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  // Only the rows near the screen are there; the list has the height of all.
  await expect.poll(() => page.locator("#messages .rows li").count()).toBeLessThan(100);
  await page.locator("#messages").evaluate((list) => {
    list.scrollTop = 12_600;
  });
  await expect.poll(() => page.getByText(/^matter 1\d\d$/).count()).toBeGreaterThan(30);
  // In the middle of the screen: the click on a row outside it would scroll the list.
  const clicked = page.locator("#messages .conversation", { hasText: /^matter 1\d\d$/ }).nth(20);
  await clicked.scrollIntoViewIfNeeded();
  const inboxLeft = await scrollTop();
  await clicked.click();
  await page.getByRole("heading", { name: /› matter/ }).waitFor();

  await page.goBack();
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  // The browser moves the page by less than a row when rows are added.
  await expect.poll(async () => Math.abs((await scrollTop()) - inboxLeft)).toBeLessThan(rowHeight);
  await page.goBack();
  await expect.poll(() => isAtTop(left)).toBe(true);
  await expect.poll(() => selected.getAttribute("data-message-id")).toBe(selectedId);

  // Rows that come from the server only after the view is open.
  await page.goto(urlOf("#recent"));
  // The list grows while its rows arrive.
  const scroll = () =>
    page.locator("#messages").evaluate((list) => {
      list.scrollTop = 6000;
      return list.scrollTop;
    });
  await expect.poll(scroll).toBe(6000);
  const recentLeft = await scrollTop();
  await page.goto(urlOf("#drafts"));
  await page.getByRole("heading", { name: "Drafts" }).waitFor();
  await expect.poll(scrollTop).toBe(0);
  await page.goBack();
  await expect.poll(async () => Math.abs((await scrollTop()) - recentLeft)).toBeLessThan(rowHeight);
  expect(consoleErrors).toEqual([]);
});

browserTest(
  "a fetch for a view that was left changes nothing in the next one, which moves with its topic",
  async () => {
    const { page, channel, reader, writer } = people;
    const others = Array.from({ length: last - first }, (_, index) => first + index);
    await reader.do("POST", "/messages/flags", { messages: others, op: "add", flag: "read" });
    const id = await send("thyme", "I know a bank");
    await page.goto(topicUrl("thyme"));
    await row(id).waitFor();
    await page.goto(`${topicUrl("breach")}/near/${first}`);
    await row(first).waitFor();
    const { promise: isLeft, resolve: reply } = Promise.withResolvers<void>();
    const ofLast = (url: URL) => url.pathname.endsWith("/messages") && url.searchParams.get("anchor") === String(last);
    await page.route(ofLast, async (route) => {
      await isLeft;
      await route.continue();
    });
    const asked = page.waitForRequest((request) => ofLast(new URL(request.url())));
    const answered = page.waitForResponse((response) => ofLast(new URL(response.url())));
    await page.locator("#messages").focus();
    await page.keyboard.press("n");
    await asked;
    await page.goto(topicUrl("thyme"));
    await row(id).waitFor();
    await field().fill("where the wild thyme blows");
    reply();
    await (await answered).finished();
    await nextFrames(page);

    const move = { topic: "violets", propagate_mode: "change_all", send_notification_to_new_thread: false };
    await writer.do("PATCH", `/messages/${id}`, move);
    await heading("violets").waitFor();
    expect(await field().inputValue()).toBe("where the wild thyme blows");
    await page.keyboard.press("Control+Enter");
    const sent = page.locator(".message:not(.outgoing)", { hasText: "wild thyme blows" });
    await sent.waitFor();
    const narrow = [{ operator: "channel", operand: channel.id }];
    const { messages } = await writer.do("GET", "/messages", { anchor: "newest", num_before: 1, num_after: 0, narrow });
    expect(messages[0]).toMatchObject({ subject: "violets", sender_id: reader.id });
  },
);

browserTest("a linked view that was left at its end is shown there", async () => {
  const { page, reader } = people;
  await reader.do("POST", "/messages/flags", { messages: [last], op: "add", flag: "read" });
  await page.goto(`${topicUrl("breach")}/near/${first + 100}`);
  await row(first + 100).waitFor();
  await page.getByRole("button", { name: "Go to the newest" }).click();
  await row(last).waitFor();
  const fromEnd = () =>
    page.locator("#messages").evaluate((list) => list.scrollHeight - list.scrollTop - list.clientHeight);
  await expect.poll(fromEnd).toBeLessThan(rowHeight);
  await page.goto(urlOf("#inbox"));
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  await page.goBack();
  await row(last).waitFor();
  await expect.poll(fromEnd).toBeLessThan(rowHeight);
  expect(consoleErrors).toEqual([]);
});
