import type { Browser, Page } from "playwright-core";
import type { Channel } from "../shared/store/channels/channels.ts";
import { aHistory } from "../test/support/table/seeding.ts";
import { type Actor, createChannel, createUsers } from "./host/bench-host.ts";
import { percentiles } from "./host/load.ts";
import { type Section, table } from "./section.ts";
import { words } from "./texts.ts";
import { busyNote, inBrowser, type Machine, signIn, viewport } from "./web.ts";
import { countLateFrames, type Frames, measureUntilShown, noteSidebar, sidebarOpenedMs } from "./web-page.ts";

interface SidebarFigures extends Machine {
  openedMs: number;
  /** The same with a phone's width, where a button opens it. */
  openedOnPhoneMs: number;
  scrolling: Frames;
  /** The time until a topic is found that only one channel has, the last one. */
  filteredMs: number;
  /** The longest of several queries that find many topics. */
  commonMs: number;
  foundInPaletteMs: number;
  inboxMs: number;
}

const channelCount = 200;
const topicsPerChannel = 25;
const messagesPerTopic = 4;
const times = 5;
const phone = { width: 390, height: 844 };

const longWords = words.filter((word) => /^[a-z]{5,}$/.test(word));

/** Topic `index` of a channel: two words, and a number so that no two are the same. The first of the last channel has its own. */
const topicName = (channel: number, index: number) =>
  channel === channelCount - 1 && index === 0
    ? "zodiac"
    : `${longWords[(channel * 31 + index * 7) % longWords.length]} ${longWords[(channel + index * 13) % longWords.length]} ${channel}.${index}`;

/** A reader with many channels, topics and unread messages. */
export const sidebar: Section<SidebarFigures> = {
  name: "sidebar",
  document: "docs/speed.md",
  title: "The web client with many channels and topics",
  measure: () => inBrowser(measured),
  text: ({ openedMs, openedOnPhoneMs, scrolling, filteredMs, commonMs, foundInPaletteMs, inboxMs, ...machine }) => {
    const ms = (value: number) => `${Math.round(value)} ms`;
    const [topics, unread] = [channelCount * topicsPerChannel, channelCount * topicsPerChannel * messagesPerTopic];
    return [
      `The reader has ${channelCount} channels with ${topics.toLocaleString("en-US")} topics and ${unread.toLocaleString("en-US")} unread messages. Times end with`,
      `the paint; each is the median of ${times} unless stated otherwise.`,
      ...busyNote(machine, "times may be longer than on an idle machine"),
      "",
      table(
        ["", "measured", "target"],
        [
          ["from the end of the registration's reply to the sidebar", ms(openedMs), "100 ms"],
          [
            `from pressing the sidebar's button at ${phone.width} × ${phone.height} to the sidebar`,
            ms(openedOnPhoneMs),
            "100 ms",
          ],
          [
            "frames dropped while scrolling through the sidebar",
            `${scrolling.dropped} of ${scrolling.frames.toLocaleString("en-US")}, the longest ${ms(scrolling.longestMs)}`,
            "0",
          ],
          [
            "from the third letter in the sidebar's filter to the only matching topic, in the last channel",
            ms(filteredMs),
            "50 ms",
          ],
          [`the same, to the first of many topics: the longest of ${times}`, ms(commonMs), "50 ms"],
          [
            `from the third letter in Ctrl+K to the results: the longest of ${times + 1}`,
            ms(foundInPaletteMs),
            "50 ms",
          ],
          ["from following the link to the inbox to its topics", ms(inboxMs), "100 ms"],
        ],
      ),
    ].join("\n");
  },
};

async function measured(browser: Browser, url: string): Promise<Omit<SidebarFigures, keyof Machine>> {
  const [reader, other] = (await createUsers(2)) as [Actor, Actor];
  console.log("  writing ...");
  const channels: Channel[] = [];
  for (let index = 0; index < channelCount; index++) {
    const channel = await createChannel(`channel ${String(index).padStart(3, "0")}`, [reader, other]);
    const topic = (message: number) => topicName(index, message % topicsPerChannel);
    await aHistory(topicsPerChannel * messagesPerTopic, { channel, senderId: () => other.id, topic });
    channels.push(channel);
  }
  const empty = await createChannel("zero", [reader, other]);
  const context = await browser.newContext({ viewport });
  const page = await context.newPage();
  await aHistory(1, { channel: empty, senderId: () => other.id });
  await signIn(page, `${url}/#narrow/channel/${empty.id}-zero`, reader);

  console.log("  opening ...");
  await page.addInitScript(noteSidebar);
  const openedMs = await median(async () => {
    // A narrow without messages: what the page itself shows takes no time.
    await page.goto(`${url}/#narrow/is/starred`);
    await page.reload();
    await page.waitForFunction(sidebarOpenedMs, undefined, { polling: 100 });
    return (await page.evaluate(sidebarOpenedMs)) as number;
  });
  await page.setViewportSize(phone);
  const openedOnPhoneMs = await median(async () => {
    const shown = await page.evaluate(measureUntilShown, {
      click: '[aria-label="Channels and views"]',
      shown: ".sidebar.open .channel",
    });
    await page.getByRole("button", { name: "Channels and views" }).click();
    return shown;
  });
  await page.setViewportSize(viewport);

  console.log("  scrolling ...");
  await settled(page);
  const scrolling = await page.evaluate(countLateFrames, {
    of: ".sidebar",
    down: true,
    maxPixels: Number.MAX_SAFE_INTEGER,
    maxMs: 120_000,
  });

  console.log("  finding ...");
  const field = "#sidebar-filter";
  const common = Array.from({ length: times }, (_, index) => topicName(index * 40, index).slice(0, 3));
  const rare = { letters: "zod", shown: '.sidebar a[href$="/topic/zodiac"]' };
  // The first query fetches the topics of all channels.
  await page.locator(field).fill("zz");
  await page.waitForFunction(
    (count) =>
      performance.getEntriesByType("resource").filter(({ name }) => /\/users\/me\/\d+\/topics/.test(name)).length >=
      count,
    channelCount,
  );
  await settled(page);
  const typed = async (of: string, letters: string, shown: string) => {
    await page.locator(of).fill(letters.slice(0, 2));
    await settled(page);
    return page.evaluate(measureUntilShown, { field: of, text: letters, shown });
  };
  const filteredMs = await median(() => typed(field, rare.letters, rare.shown));
  let commonMs = 0;
  for (const letters of common) commonMs = Math.max(commonMs, await typed(field, letters, ".sidebar .topics a"));
  await page.locator(field).fill("");
  await settled(page);
  await page.keyboard.press("Control+k");
  let foundInPaletteMs = 0;
  for (const letters of [rare.letters, ...common])
    foundInPaletteMs = Math.max(foundInPaletteMs, await typed(".palette-field", letters, "#palette-0"));
  await page.keyboard.press("Escape");

  console.log("  opening the inbox ...");
  const inboxMs = await median(async () => {
    const shown = await page.evaluate(measureUntilShown, { hash: "#inbox", shown: "main .rows li" });
    await page.evaluate(measureUntilShown, { hash: "#drafts", shown: "main h1" });
    return shown;
  });
  await context.close();
  return { openedMs, openedOnPhoneMs, scrolling, filteredMs, commonMs, foundInPaletteMs, inboxMs };
}

async function median(measure: () => Promise<number>): Promise<number> {
  const results: number[] = [];
  for (let time = 0; time < times; time++) results.push(await measure());
  return percentiles(results).p50Ms;
}

/** Waits until the page has nothing to do. */
const settled = (page: Page) =>
  page.evaluate(
    () => new Promise<void>((resolve) => requestIdleCallback(() => setTimeout(resolve, 200), { timeout: 5000 })),
  );
