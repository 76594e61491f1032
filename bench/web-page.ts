/** Functions that the bench runs inside the page. Each is self-contained, because its source is sent to the browser. */

/** The number of frames while scrolling, and of those that came more than 34 ms after the previous one. */
export interface Frames {
  frames: number;
  dropped: number;
  longestMs: number;
}

/** Clicks on a button and resolves with the milliseconds until messages are painted. */
export const clickUntilMessages = (button: Element): Promise<number> =>
  new Promise((resolve) => {
    const began = performance.now();
    (button as HTMLElement).click();
    const look = () => {
      // A frame's callback runs before its paint, so the messages are painted by the next callback.
      if (document.querySelector("[data-message-id]")) requestAnimationFrame(() => resolve(performance.now() - began));
      else requestAnimationFrame(look);
    };
    look();
  });

/** Follows a link to a channel and resolves with the milliseconds until messages from `firstId` on are painted. */
export const openUntilMessages = ({ hash, firstId }: { hash: string; firstId: number }): Promise<number> =>
  new Promise((resolve) => {
    const began = performance.now();
    location.hash = hash;
    const look = () => {
      const rows = [...document.querySelectorAll<HTMLElement>("[data-message-id]")];
      if (rows.some((row) => Number(row.dataset.messageId) >= firstId))
        requestAnimationFrame(() => resolve(performance.now() - began));
      else requestAnimationFrame(look);
    };
    look();
  });

/** Resolves with the milliseconds from the arrival of the reply with a message's event to the frame after it is shown. */
export const shownAfterArrival = (text: string): Promise<number> =>
  new Promise((resolve) => {
    const report = () => {
      const shownAt = performance.now();
      const replies = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
      const events = replies.filter(({ name, responseEnd }) => name.includes("/events?") && responseEnd <= shownAt);
      resolve(shownAt - Math.max(...events.map(({ responseEnd }) => responseEnd)));
    };
    const watch = new MutationObserver(() => {
      if (!document.getElementById("messages")?.textContent?.includes(text)) return;
      watch.disconnect();
      requestAnimationFrame(() => setTimeout(report));
    });
    watch.observe(document.body, { childList: true, subtree: true, characterData: true });
  });

/** Scrolls 300 px per frame to the end of the list, or up by `maxPixels`. Stops when messages take more than 10 s to load. */
export const countLateFrames = ({
  down,
  maxPixels,
  maxMs,
}: {
  down: boolean;
  maxPixels: number;
  maxMs: number;
}): Promise<Frames> =>
  new Promise((resolve) => {
    const result = { frames: 0, dropped: 0, longestMs: 0 };
    const began = performance.now();
    let [before, moved, lastMove] = [began, 0, began];
    const step = (now: number) => {
      const took = now - before;
      before = now;
      result.frames++;
      result.longestMs = Math.max(result.longestMs, took);
      if (took > 34) result.dropped++;
      const frame = document.getElementById("messages");
      if (frame) {
        const position = frame.scrollTop;
        frame.scrollTop += down ? 300 : -300;
        const distance = Math.abs(frame.scrollTop - position);
        moved += distance;
        if (distance > 1) lastMove = now;
      }
      if (moved >= maxPixels || now - lastMove > 10_000 || now - began > maxMs) resolve(result);
      else requestAnimationFrame(step);
    };
    requestAnimationFrame((now) => {
      before = now;
      requestAnimationFrame(step);
    });
  });
