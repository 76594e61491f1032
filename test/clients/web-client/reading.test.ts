import type { Page, Route } from "playwright-core";
import { expect } from "vitest";
import type { Channel } from "../../../shared/store/channels/channels.ts";
import { browserTest, violations } from "../../support/browser/browser-test.ts";
import { password, signedIn, urlOf, withBrowser } from "../../support/browser/client-pages.ts";
import { aHistory } from "../../support/table/seeding.ts";
import { unique } from "../../support/unique.ts";
import { aChannel, aPerson, type Person } from "../../support/world.ts";

/** What the web client marks as read: Orlando writes, and Rosalind reads in a browser. */

const withinAMinute = { timeout: 60_000 };
const flagsPath = "**/api/v1/messages/flags";
let rosalind: Person;
let orlando: Person;
let page: Page;

/** The IDs of Rosalind's unread messages in a channel, ascending. */
async function unreadIn({ id: channelId }: Channel): Promise<number[]> {
  const types = ["message", "update_message_flags"];
  const { unread_msgs, queue_id } = await rosalind.do("POST", "/register", { fetch_event_types: types });
  await rosalind.do("DELETE", "/events", { queue_id });
  const streams = unread_msgs.streams as { stream_id: number; unread_message_ids: number[] }[];
  return streams
    .filter(({ stream_id }) => stream_id === channelId)
    .flatMap(({ unread_message_ids }) => unread_message_ids)
    .sort((a, b) => a - b);
}

const send = async (channel: Channel, topic: string, content: string): Promise<number> =>
  (await orlando.do("POST", "/messages", { type: "channel", to: channel.id, topic, content })).id;

/** A channel with so many messages, of which Rosalind has read 500. */
async function aBusyChannel(messageCount: number) {
  const channel = await aChannel("verses", [rosalind, orlando]);
  const { first, last } = await aHistory(messageCount, { channel, senderId: () => orlando.id });
  const readIds = Array.from({ length: 500 }, (_, index) => first + 1000 + index);
  await rosalind.do("POST", "/messages/flags", { messages: readIds, op: "add", flag: "read" });
  const unreadIds = Array.from({ length: last - first + 1 }, (_, index) => first + index).filter(
    (id) => !readIds.includes(id),
  );
  return { channel, unreadIds };
}

async function markChannelAsRead({ name }: Channel) {
  await page.getByRole("button", { name: `Actions for ${name}` }).click();
  await page.getByRole("menuitem", { name: "Mark as read" }).click();
}

const notice = (text: string | RegExp) => page.locator(".toast", { hasText: text });

withBrowser(async () => {
  rosalind = await aPerson("Rosalind", { password });
  orlando = await aPerson("Orlando");
});

browserTest(
  "searching, mentions and starred messages leave messages unread, and their topic marks them as read",
  async () => {
    const channel = await aChannel("arden", [rosalind, orlando]);
    const word = unique("motley").replaceAll(/\W/g, "");
    const mention = `A ${word} fool, @**Rosalind|${rosalind.id}**`;
    const found = await send(channel, "found", mention);
    await rosalind.do("POST", "/messages/flags", { messages: [found], op: "add", flag: "starred" });
    page = await signedIn(rosalind);
    const row = page.locator(`[data-message-id="${found}"]`);
    for (const view of [
      `#narrow/search/${word}`,
      "#narrow/is/mentioned",
      "#narrow/is/starred",
      `#narrow/sender/${orlando.id}`,
    ]) {
      await page.goto(urlOf(view));
      await row.waitFor();
      await page.getByText("Messages stay unread here.").waitFor();
      expect(await violations(page)).toEqual([]);
    }

    // Had they been marked, they would be so before what is seen later.
    const seen = await send(channel, "seen", "I met a fool i' the forest");
    await page.goto(urlOf(`#narrow/channel/${channel.id}-x/topic/seen`));
    await expect.poll(() => unreadIn(channel), withinAMinute).not.toContain(seen);
    expect(await unreadIn(channel)).toEqual([found]);
    await page.goto(urlOf(`#narrow/channel/${channel.id}-x/topic/found`));
    await expect.poll(() => unreadIn(channel), withinAMinute).toEqual([]);
    await page.context().close();
  },
);

browserTest("whoever has chosen it marks messages as read in conversations only", async () => {
  const channel = await aChannel("court", [rosalind, orlando]);
  const first = await send(channel, "wrestling", "The world esteemed thy father honourable");
  page = await signedIn(rosalind);
  await page.goto(urlOf("#settings/appearance"));
  await page
    .getByLabel("Automatically mark messages as read")
    .selectOption({ label: "Only in a topic or direct conversation" });
  const policy = async () => {
    const { user_settings } = await rosalind.do("POST", "/register", { fetch_event_types: ["user_settings"] });
    return user_settings.web_mark_read_on_scroll_policy;
  };
  await expect.poll(policy, withinAMinute).toBe(2);

  await page.goto(urlOf(`#narrow/channel/${channel.id}-x`));
  await page.locator(`[data-message-id="${first}"]`).waitFor();
  await page.getByText("Messages stay unread here.").waitFor();
  const second = await send(channel, "banishment", "Thou losest here");
  await page.goto(urlOf(`#narrow/channel/${channel.id}-x/topic/banishment`));
  await expect.poll(() => unreadIn(channel), withinAMinute).not.toContain(second);
  expect(await unreadIn(channel)).toEqual([first]);
  await rosalind.do("PATCH", "/settings", { web_mark_read_on_scroll_policy: 1 });
  await page.context().close();
});

browserTest(
  "messages have the size and line height that their reader has chosen, and the page is in proportion",
  async () => {
    const channel = await aChannel("arden", [rosalind, orlando]);
    await send(channel, "verses", "From the east to western Ind");
    page = await signedIn(rosalind);
    const openTopic = () => page.goto(urlOf(`#narrow/channel/${channel.id}-x/topic/verses`));
    const styleOf = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => {
          const { fontSize, lineHeight } = getComputedStyle(element);
          return { size: Number.parseFloat(fontSize), lineHeight: Number.parseFloat(lineHeight) };
        });
    await openTopic();
    expect(await styleOf(".message .rendered")).toEqual({ size: 16, lineHeight: expect.closeTo(22.4) });
    expect(await styleOf(".sidebar .nav")).toMatchObject({ size: 15 });

    await page.goto(urlOf("#settings/appearance"));
    await page.getByLabel("Text size").selectOption("24 px");
    await page.getByLabel("Line spacing").selectOption("200%");
    await expect.poll(async () => (await styleOf(".sidebar .nav")).size).toBe(22.5);
    await openTopic();
    await expect.poll(() => styleOf(".message .rendered")).toEqual({ size: 24, lineHeight: 48 });
    await page.goto(urlOf("#settings/appearance"));
    await expect.poll(() => page.getByLabel("Density").inputValue()).toBe('"custom"');
    await page.getByLabel("Density").selectOption("Compact");
    await expect.poll(() => page.getByLabel("Line spacing").inputValue()).toBe("122");
    await openTopic();
    await expect.poll(() => styleOf(".message .rendered")).toEqual({ size: 14, lineHeight: expect.closeTo(17.08) });
    const paddingOfMessage = () =>
      page
        .locator(".message")
        .first()
        .evaluate((element) => getComputedStyle(element).paddingInline);
    expect(await paddingOfMessage()).toBe("12px");
    await rosalind.do("PATCH", "/settings", { web_font_size_px: 16, web_line_height_percent: 140 });
    await expect.poll(() => styleOf(".message .rendered")).toMatchObject({ size: 16 });
    expect(await paddingOfMessage()).toBe("16px");
    await page.context().close();
  },
);

browserTest(
  "8,000 messages are marked as read in spite of a failure, and undoing it restores what was unread",
  { timeout: 240_000 },
  async () => {
    const { channel, unreadIds } = await aBusyChannel(8000);
    page = await signedIn(rosalind);
    let requests = 0;
    await page.route(flagsPath, async (route: Route) => {
      requests++;
      // One request is lost, and of another the reply.
      if (requests === 3) return route.abort("connectionreset");
      if (requests === 5) {
        await route.fetch();
        return route.abort("connectionreset");
      }
      await route.continue();
    });

    await markChannelAsRead(channel);
    await notice(/Marking messages as read: [\d,]+ of 7,500/).waitFor();
    await notice("Marked 7,500 messages as read.").waitFor();
    expect(await violations(page)).toEqual([]);
    await expect.poll(() => unreadIn(channel), withinAMinute).toEqual([]);

    await page.keyboard.press("Control+z");
    await notice("7,500 messages are unread again.").waitFor();
    await expect.poll(() => unreadIn(channel), withinAMinute).toEqual(unreadIds);
    await page.context().close();
  },
);

browserTest(
  "marking as read stops when it is cancelled, and what was marked can be undone",
  { timeout: 240_000 },
  async () => {
    const { channel, unreadIds } = await aBusyChannel(4500);
    page = await signedIn(rosalind);
    let requests = 0;
    const cancelled = Promise.withResolvers<void>();
    await page.route(flagsPath, async (route: Route) => {
      requests++;
      if (requests === 3) await cancelled.promise;
      await route.continue();
    });

    await markChannelAsRead(channel);
    await notice("Marking messages as read: 2,000 of 4,000").getByRole("button", { name: "Cancel" }).click();
    cancelled.resolve();
    await notice("Stopped. Marked 3,000 messages as read.").waitFor();
    await expect.poll(() => unreadIn(channel), withinAMinute).toEqual(unreadIds.slice(3000));
    expect(requests).toBe(3);

    await page.getByRole("button", { name: "Undo" }).click();
    await notice("3,000 messages are unread again.").waitFor();
    await expect.poll(() => unreadIn(channel), withinAMinute).toEqual(unreadIds);
    await page.context().close();
  },
);

browserTest("unread messages that the server did not list at registration are marked as read, too", async () => {
  const channel = await aChannel("hymen", [rosalind, orlando]);
  const { first, last } = await aHistory(1500, { channel, senderId: () => orlando.id });
  page = await signedIn(rosalind);
  await page.route("**/api/v1/register", async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    for (const topic of body.unread_msgs.streams)
      topic.unread_message_ids = topic.unread_message_ids.filter((id: number) => id > last - 10);
    body.unread_msgs.old_unreads_missing = true;
    await route.fulfill({ response, json: body });
  });
  await page.reload();

  await markChannelAsRead(channel);
  await notice("Marked 1,500 messages as read.").waitFor();
  await expect.poll(() => unreadIn(channel), withinAMinute).toEqual([]);
  await page.getByRole("button", { name: "Undo" }).click();
  await notice("1,500 messages are unread again.").waitFor();
  await expect.poll(async () => (await unreadIn(channel))[0], withinAMinute).toBe(first);
  await page.context().close();
});
