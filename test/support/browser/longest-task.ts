import type { CDPSession, Page } from "playwright-core";
import { nextFrames } from "./client-pages.ts";

/** The longest task of a page's main thread, which is the longest time for which the page does not react. */

/** The longest task while `work` runs, in milliseconds of processor time. */
export async function longestTask(page: Page, work: () => Promise<unknown>): Promise<number> {
  const session: CDPSession = await page.context().newCDPSession(page);
  const events: any[] = [];
  session.on("Tracing.dataCollected", ({ value }) => void events.push(...value));
  await session.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: {
      includedCategories: ["disabled-by-default-devtools.timeline", "__metadata"],
      recordMode: "recordUntilFull",
    },
  });
  await work();
  const complete = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
  await session.send("Tracing.end");
  await complete;
  await session.detach();
  const threads = new Set(
    events
      .filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain")
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = events.filter(({ name, pid, tid, tdur }) => name === "RunTask" && tdur && threads.has(`${pid} ${tid}`));
  return tasks.reduce((longest, { tdur }) => Math.max(longest, tdur), 0) / 1000;
}

/**
 * The longest task while `work` runs, as the least of up to three attempts, until one is below `max`: what else a busy machine does only
 * adds to it.
 */
export async function leastLongestTask(page: Page, max: number, work: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 3 && least >= max; attempt++) {
    await page.goto("about:blank");
    least = Math.min(least, await longestTask(page, work));
  }
  return least;
}

/** Scrolls down in the messages, as far as those that a window holds. */
export async function scrollThrough(page: Page): Promise<void> {
  for (let n = 0; n < 5; n++) {
    await page.locator("#messages").evaluate((list) => list.scrollBy(0, 1000));
    await nextFrames(page);
  }
}

/** What `calibrate` takes at most on a quiet machine of two cores. */
const quietUnitMs = 60;

/** How long this machine takes for a fixed piece of work in a page: elements of the kind that messages have. */
const calibrate = (page: Page) =>
  longestTask(page, () =>
    page.evaluate(() => {
      const holder = document.createElement("div");
      for (let n = 0; n < 2000; n++) holder.append(document.createElement("p"), `word ${n}`);
      document.body.append(holder);
      void holder.offsetHeight;
      holder.remove();
    }),
  );

/**
 * How many milliseconds a frame may take on this machine: 200, and more while it is busy, because processor time, too, grows while
 * other programs use the caches.
 */
export const longestFrameMs = async (page: Page) => 200 * Math.max(1, (await calibrate(page)) / quietUnitMs);
