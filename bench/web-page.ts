/** Functions that the bench runs inside the page. Each is self-contained, because its source is sent to the browser. */

/** The frames while scrolling. */
export interface Frames {
  frames: number;
  /** Frames that came more than 34 ms after the previous one. */
  dropped: number;
  longestMs: number;
}

/** Clicks on a button and resolves with the milliseconds until messages are painted. */
export const measureClickToMessages = (button: Element): Promise<number> =>
  new Promise((resolve) => {
    const startedAt = performance.now();
    (button as HTMLElement).click();
    const checkFrame = () => {
      // A frame's callback runs before its paint, so the messages are painted by the next callback.
      if (document.querySelector("[data-message-id]"))
        requestAnimationFrame(() => resolve(performance.now() - startedAt));
      else requestAnimationFrame(checkFrame);
    };
    checkFrame();
  });

/** Follows a link to a channel and resolves with the milliseconds until messages from `firstId` on are painted. */
export const measureLinkToMessages = ({ hash, firstId }: { hash: string; firstId: number }): Promise<number> =>
  new Promise((resolve) => {
    const startedAt = performance.now();
    location.hash = hash;
    const checkFrame = () => {
      const rows = [...document.querySelectorAll<HTMLElement>("[data-message-id]")];
      if (rows.some((row) => Number(row.dataset.messageId) >= firstId))
        requestAnimationFrame(() => resolve(performance.now() - startedAt));
      else requestAnimationFrame(checkFrame);
    };
    checkFrame();
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
    const observer = new MutationObserver(() => {
      if (!document.getElementById("messages")?.textContent?.includes(text)) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(report));
    });
    observer.observe(document.body, { childList: true, subtree: true, characterData: true });
  });

/**
 * Scrolls 300 px per frame, and stops after `maxPixels` or `maxMs`, or when the list has not moved for 10 s: it has ended, or
 * loads too slowly.
 */
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
    const startedAt = performance.now();
    const maxFrameMs = 34;
    const pixelsPerFrame = 300;
    const maxLoadingMs = 10_000;
    let [previousFrameAt, movedPixels, lastMoveAt] = [startedAt, 0, startedAt];
    const step = (now: number) => {
      const frameMs = now - previousFrameAt;
      previousFrameAt = now;
      result.frames++;
      result.longestMs = Math.max(result.longestMs, frameMs);
      if (frameMs > maxFrameMs) result.dropped++;
      const list = document.getElementById("messages");
      if (list) {
        const position = list.scrollTop;
        list.scrollTop += down ? pixelsPerFrame : -pixelsPerFrame;
        const distance = Math.abs(list.scrollTop - position);
        movedPixels += distance;
        if (distance > 1) lastMoveAt = now;
      }
      if (movedPixels >= maxPixels || now - lastMoveAt > maxLoadingMs || now - startedAt > maxMs) resolve(result);
      else requestAnimationFrame(step);
    };
    requestAnimationFrame((now) => {
      previousFrameAt = now;
      requestAnimationFrame(step);
    });
  });
