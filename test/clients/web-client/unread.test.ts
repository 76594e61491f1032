import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { Channel } from "../../../shared/store/channels/channels.ts";
import { browserTest } from "../../support/browser/browser-test.ts";
import {
  consoleErrors,
  expectNoViolations,
  password,
  signedIn,
  urlOf,
  withBrowser,
} from "../../support/browser/client-pages.ts";
import { aHistory } from "../../support/table/seeding.ts";
import { aChannel, aPerson, type Person } from "../../support/world.ts";

/** The way through unread messages: Viola reads, Sebastian writes. */

const withinAMinute = { timeout: 60_000 };
let [viola, sebastian]: Person[] = [];
let page: Page;

withBrowser(async () => {
  [viola, sebastian] = [await aPerson("Viola", { password }), await aPerson("Sebastian")];
});

const send = async (channel: Channel, topic: string, content: string): Promise<number> =>
  (await (sebastian as Person).do("POST", "/messages", { type: "channel", to: channel.id, topic, content })).id;
const row = (id: number) => page.locator(`[data-message-id="${id}"]`);
const pill = (name: RegExp | string) => page.locator(".pills").getByRole("button", { name });
const line = () => page.getByRole("separator", { name: "Unread messages begin here" });
/** The message below the line. */
const idBelowLine = () =>
  line().evaluate((element) => Number((element.nextElementSibling as HTMLElement).dataset.messageId));
const countOfUnread = async (): Promise<number> =>
  (await (viola as Person).do("POST", "/register", { fetch_event_types: ["message", "update_message_flags"] }))
    .unread_msgs.count;

browserTest(
  "a line shows where unread messages begin, pills lead to those elsewhere, and n goes through them",
  async () => {
    const channel = await aChannel("illyria", [viola as Person, sebastian as Person]);
    const { first, last } = await aHistory(120, { channel, senderId: () => (sebastian as Person).id });
    await (viola as Person).do("POST", "/messages/flags", {
      messages: Array.from({ length: 40 }, (_, index) => first + index),
      op: "add",
      flag: "read",
    });
    page = await signedIn(viola as Person, { viewport: { width: 1280, height: 800 } });
    await page.goto(urlOf(`#narrow/channel/${channel.id}-x`));
    const firstUnread = first + 40;
    await row(firstUnread).waitFor();
    expect(await idBelowLine()).toBe(firstUnread);
    await pill(/^\d+ new below/).waitFor();
    await expectNoViolations(page);

    // The line stays while the messages are read.
    await expect.poll(() => row(firstUnread).getAttribute("data-unread"), withinAMinute).toBe("false");
    expect(await idBelowLine()).toBe(firstUnread);
    await pill("Go to the newest").click();
    await row(last).waitFor();
    await pill(/^\d+ new above/).click();
    await expect.poll(() => row(firstUnread + 1).isVisible()).toBe(true);

    // Nothing is skipped between one screen and the next.
    await page.locator("#messages").focus();
    await expect
      .poll(async () => {
        await page.keyboard.press("n");
        return countOfUnread();
      }, withinAMinute)
      .toBe(0);
    await pill(/new/).first().waitFor({ state: "detached" });
  },
);

browserTest("thirty conversations are read by n alone, and nothing that arrives is lost", async () => {
  const channels = [
    await aChannel("orsino", [viola as Person, sebastian as Person]),
    await aChannel("olivia", [viola as Person, sebastian as Person]),
  ];
  for (let index = 0; index < 15; index++)
    for (const channel of channels) await send(channel, `matter ${index}`, `Letter ${index}`);
  await (sebastian as Person).do("POST", "/messages", {
    type: "direct",
    to: [viola?.id],
    content: "Art thou my sister?",
  });
  await page.goto(urlOf("#inbox"));
  await page.getByText("matter 14").first().waitFor();
  const visited = new Set<string>();
  for (let step = 0; step < 31; step++) {
    const before = page.url();
    await page.keyboard.press("n");
    await expect.poll(() => page.url()).not.toBe(before);
    await page.locator(".message").first().waitFor();
    await expect.poll(() => page.locator('[data-unread="true"]').count(), withinAMinute).toBe(0);
    visited.add(page.url());
  }
  expect(visited.size).toBe(31);
  await expect.poll(countOfUnread, withinAMinute).toBe(0);
  await page.keyboard.press("n");
  await page.locator(".toast", { hasText: "You have read everything." }).waitFor();
});

browserTest("what is marked as unread is below the line, and stays so for n", async () => {
  const channel = await aChannel("cesario", [viola as Person, sebastian as Person]);
  const ids = [await send(channel, "ring", "She left a ring"), await send(channel, "ring", "I left no ring")];
  await page.goto(urlOf(`#narrow/channel/${channel.id}-x/topic/ring`));
  await row(ids[1] as number).waitFor();
  await expect.poll(countOfUnread, withinAMinute).toBe(0);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("U");
  await expect.poll(idBelowLine).toBe(ids[1]);
  await page.keyboard.press("n");
  await page.locator(".toast", { hasText: "You have read everything." }).last().waitFor();
  expect(await row(ids[1] as number).getAttribute("data-unread")).toBe("true");
});

browserTest("everything is marked as read at once, and that is undone", async () => {
  const channel = await aChannel("feste", [viola as Person, sebastian as Person]);
  await send(channel, "song", "O mistress mine");
  await send(channel, "wind", "Hey, ho, the wind and the rain");
  await page.goto(urlOf("#inbox"));
  await page.getByText("wind", { exact: true }).first().waitFor();
  const before = await countOfUnread();
  expect(before).toBeGreaterThanOrEqual(2);
  await expectNoViolations(page);
  await page.getByRole("button", { name: "Mark everything as read" }).click();
  await page.getByText("You have read everything.").first().waitFor();
  await expect.poll(countOfUnread, withinAMinute).toBe(0);
  await page.locator(".toast").getByRole("button", { name: "Undo" }).last().waitFor();
  await page.keyboard.press("Control+z");
  await expect.poll(countOfUnread, withinAMinute).toBe(before);
  expect(consoleErrors).toEqual([]);
});
