import { availableParallelism, loadavg } from "node:os";
import { type Browser, chromium, type Page } from "playwright-core";
import type { Channel } from "../shared/store/channels/channels.ts";
import { ReadMarks } from "../shared/store/messages/read-state.ts";
import { transact } from "../shared/store/table/transactions.ts";
import type { Write } from "../shared/store/table/writes.ts";
import { chromiumPath } from "../test/support/browser/chromium.ts";
import { aHistory } from "../test/support/table/seeding.ts";
import { type Actor, createChannel, createUsers, startBenchHost } from "./host/bench-host.ts";
import { Client } from "./host/client.ts";
import { percentiles } from "./host/load.ts";
import { type Section, table } from "./section.ts";
import {
  countLateFrames,
  type Frames,
  measureClickToMessages,
  measureLinkToMessages,
  shownAfterArrival,
} from "./web-page.ts";

/** The machine, when it measured. */
export interface Machine {
  /** The load average before the measurement. */
  load: number;
  /** The number of processors. */
  processors: number;
}

interface ScrollFigures extends Frames {
  messages: number;
  openedMs: number;
}

interface WebFigures extends Machine {
  firstLoadBytes: number;
  signInMs: number;
  /** The time from the arrival of an event to its message on the screen. */
  arrival: { p50Ms: number; longestMs: number };
  /** A channel of 10,000 messages. */
  short: ScrollFigures;
  /** A channel of 100,000 messages. */
  long: ScrollFigures;
}

const signIns = 5;
const arrivals = 20;
const screensBack = 50;
export const viewport = { width: 1280, height: 800 };

/** The web client in Chromium, on the machine that also runs the host. */
export const web: Section<WebFigures> = {
  name: "web",
  document: "docs/speed.md",
  title: "The web client",
  measure: () => inBrowser(measured),
  text: ({ firstLoadBytes, signInMs, arrival, short, long, ...machine }) =>
    [
      `Chromium (${viewport.width} × ${viewport.height}) and the host share one machine. A frame counts as dropped if it comes more than 34 ms after the`,
      "previous one. Scrolling moves 300 px per frame.",
      ...busyNote(machine, "only the size is reliable"),
      "",
      table(
        ["", "measured", "target"],
        [
          ["files loaded until the first messages, compressed", `${(firstLoadBytes / 1000).toFixed(1)} KB`, "110 KB"],
          ["from the click on sign-in to the first messages", `${Math.round(signInMs)} ms`, "1,000 ms"],
          [
            "from the arrival of an event to its message on the screen, p50",
            `${Math.round(arrival.p50Ms)} ms`,
            "50 ms",
          ],
          [`the same, the longest of ${arrivals}`, `${Math.round(arrival.longestMs)} ms`, "50 ms"],
          ...[short, long].flatMap(({ messages, openedMs, frames, dropped, longestMs }, index) => [
            [
              `opening a channel of ${messages.toLocaleString("en-US")} messages at the first unread one`,
              `${Math.round(openedMs)} ms`,
              "1,000 ms",
            ],
            [
              index === 0
                ? "frames dropped while scrolling through all of it"
                : `frames dropped while scrolling back ${screensBack} screens`,
              `${dropped} of ${frames.toLocaleString("en-US")}, the longest ${Math.round(longestMs)} ms`,
              "0",
            ],
          ]),
        ],
      ),
    ].join("\n"),
};

/** Measures with a fresh host and a browser. */
export async function inBrowser<F>(measure: (browser: Browser, url: string) => Promise<F>): Promise<F & Machine> {
  if (!chromiumPath) throw new Error("Chromium was not found: install it, or set SKEIN_CHROMIUM to its path.");
  const [load = 0] = loadavg();
  const host = await startBenchHost();
  const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"] });
  try {
    return { load, processors: availableParallelism(), ...(await measure(browser, host.url)) };
  } finally {
    await browser.close();
    await host.stop();
  }
}

/** A line that says that other work slowed the measurement, if so, and what follows from that. */
export const busyNote = ({ load, processors }: Machine, consequence: string): string[] =>
  load > processors / 2
    ? [`The machine was busy with other work (load ${load.toFixed(1)} on ${processors} processors), so ${consequence}.`]
    : [];

async function measured(browser: Browser, url: string): Promise<Omit<WebFigures, keyof Machine>> {
  const [reader, other, latecomer] = (await createUsers(3)) as [Actor, Actor, Actor];
  const everyone = [reader, other, latecomer];
  const [quiet, busy] = [await createChannel("quiet", everyone), await createChannel("busy", everyone)];
  const senderId = () => other.id;
  const { first: oldest, last: newest } = await aHistory(200, { channel: quiet, senderId });
  await markRead(everyone, oldest, newest);
  const addressOf = ({ id, name }: Channel) => `${url}/#narrow/channel/${id}-${name}`;

  console.log("  signing in ...");
  const signInTimesMs: number[] = [];
  let firstLoadBytes = 0;
  for (let time = 0; time < signIns; time++) {
    const context = await browser.newContext({ viewport });
    const page = await context.newPage();
    const bytes = await countBytes(page);
    signInTimesMs.push(await signIn(page, addressOf(quiet), reader));
    if (time === 0) firstLoadBytes = bytes();
    await context.close();
  }

  console.log("  receiving ...");
  const page = await (await browser.newContext({ viewport })).newPage();
  await signIn(page, addressOf(quiet), reader);
  const client = new Client(url, 2);
  const arrivalTimesMs: number[] = [];
  for (let n = 0; n < arrivals; n++) {
    const content = `Message number ${n} of the bench.`;
    const shown = page.evaluate(shownAfterArrival, content);
    await client.call(other, "POST", "/messages", { type: "channel", to: quiet.id, topic: "breach", content });
    arrivalTimesMs.push(await shown);
  }
  client.close();

  console.log("  scrolling through 10,000 messages ...");
  const { first } = await aHistory(10_000, { channel: busy, senderId });
  const short = await scroll(page, addressOf(busy), { messages: 10_000, firstId: first, down: true });
  await page.context().close();

  console.log("  writing 90,000 more ...");
  await aHistory(90_000, { channel: busy, senderId });
  await markRead([latecomer], oldest, first + 50_000);
  console.log("  scrolling back ...");
  const latecomerPage = await (await browser.newContext({ viewport })).newPage();
  await signIn(latecomerPage, addressOf(quiet), latecomer);
  const long = await scroll(latecomerPage, addressOf(busy), { messages: 100_000, firstId: first, down: false });
  return {
    firstLoadBytes,
    signInMs: percentiles(signInTimesMs).p50Ms,
    arrival: { p50Ms: percentiles(arrivalTimesMs).p50Ms, longestMs: Math.max(...arrivalTimesMs) },
    short,
    long,
  };
}

/** Marks all messages from one ID to another as read, and replaces earlier marks. */
async function markRead(readers: readonly Actor[], from: number, to: number): Promise<void> {
  for (const { id } of readers) {
    const marks = new ReadMarks();
    marks.markRange(from, to);
    await transact(marks.writes(id).map((write) => ({ ...write, when: undefined }) as Write));
  }
}

/** Milliseconds from the click to the first messages. */
export async function signIn(page: Page, address: string, { email }: Actor): Promise<number> {
  await page.goto(address);
  const button = page.getByRole("button", { name: email });
  await button.waitFor();
  await page.evaluate(() => performance.setResourceTimingBufferSize(100_000));
  return button.evaluate(measureClickToMessages);
}

/** Counts the transferred bytes of the page's own files. */
async function countBytes(page: Page): Promise<() => number> {
  const session = await page.context().newCDPSession(page);
  const ownRequests = new Set<string>();
  let bytes = 0;
  session.on("Network.responseReceived", ({ requestId, response }) => {
    const { pathname } = new URL(response.url);
    if (pathname === "/" || pathname.startsWith("/client/")) ownRequests.add(requestId);
  });
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (ownRequests.has(requestId)) bytes += encodedDataLength;
  });
  await session.send("Network.enable");
  return () => bytes;
}

async function scroll(
  page: Page,
  address: string,
  { messages, firstId, down }: { messages: number; firstId: number; down: boolean },
): Promise<ScrollFigures> {
  const openedMs = await page.evaluate(measureLinkToMessages, { hash: new URL(address).hash, firstId });
  const maxPixels = down ? Number.MAX_SAFE_INTEGER : screensBack * viewport.height;
  const frames = await page.evaluate(countLateFrames, { of: "#messages", down, maxPixels, maxMs: 240_000 });
  return { messages, openedMs, ...frames };
}
