import { expect } from "vitest";
import { browserTest } from "../../support/browser/browser-test.ts";
import { consoleErrors, urlOf } from "../../support/browser/client-pages.ts";
import { actsOf, twoPeople } from "../../support/browser/two-people.ts";
import { aHistory } from "../../support/table/seeding.ts";
import { aChannel } from "../../support/world.ts";

/** Going back shows each view where it was left: Lysander reads, Demetrius has written much. */

let first = 0;
const topicCount = 400;
const rowHeight = 40;
const people = twoPeople({ reader: "Lysander", writer: "Demetrius", channel: "wood" }, async (prepared) => {
  const senderId = () => prepared.writer.id;
  ({ first } = await aHistory(300, { channel: prepared.channel, senderId }));
  const many = await aChannel("court", [prepared.reader, prepared.writer]);
  await aHistory(topicCount, { channel: many, senderId, topic: (index) => `matter ${index}` });
});
const { row } = actsOf(people);

const scrollTop = () => people.page.locator("#messages").evaluate((element) => Math.round(element.scrollTop));
/** What is at the top of the list: a message and its distance from it. */
const atTop = () =>
  people.page.locator("#messages").evaluate((list) => {
    const { top } = list.getBoundingClientRect();
    const rows = [...list.querySelectorAll<HTMLElement>("[data-message-id]")];
    const shown = rows.find((element) => element.getBoundingClientRect().bottom > top);
    return [shown?.dataset.messageId, Math.round((shown?.getBoundingClientRect().top ?? 0) - top)];
  });

browserTest("a list of messages, a page of rows and a search are shown where they were left", async () => {
  const { page } = people;
  await page.goto(urlOf(`#narrow/channel/${people.channel.id}-x`));
  await row(first + 150)
    .or(row(first))
    .waitFor();
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
    list.scrollTop = 9000;
  });
  await expect.poll(() => page.getByText(/^matter 1\d\d$/).count()).toBeGreaterThan(10);
  const inboxLeft = await scrollTop();
  await page
    .locator("#messages .conversation", { hasText: /^matter 1\d\d$/ })
    .nth(12)
    .click();
  await page.getByRole("heading", { name: /› matter/ }).waitFor();

  await page.goBack();
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  // The browser moves the page by less than a row when rows are added.
  await expect.poll(async () => Math.abs((await scrollTop()) - inboxLeft)).toBeLessThan(rowHeight);
  await page.goBack();
  await expect.poll(atTop).toEqual(left);
  await expect.poll(() => selected.getAttribute("data-message-id")).toBe(selectedId);

  // Rows that come from the server only after the view is open.
  await page.goto(urlOf("#recent"));
  await expect.poll(() => page.locator("#messages .rows li").count()).toBeGreaterThan(10);
  await page.locator("#messages").evaluate((list) => {
    list.scrollTop = 6000;
  });
  const recentLeft = await scrollTop();
  expect(recentLeft).toBeGreaterThan(5000);
  await page.goto(urlOf("#drafts"));
  await page.getByRole("heading", { name: "Drafts" }).waitFor();
  expect(await scrollTop()).toBe(0);
  await page.goBack();
  await expect.poll(async () => Math.abs((await scrollTop()) - recentLeft)).toBeLessThan(rowHeight);
  expect(consoleErrors).toEqual([]);
});
