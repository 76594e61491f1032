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

/** Notes in `sidebarPaintedAt` when the first channels of the sidebar are painted, in milliseconds since the page was opened. */
export function noteSidebar(): void {
  const checkFrame = () => {
    if (!document.querySelector(".sidebar .channel")) requestAnimationFrame(checkFrame);
    else
      setTimeout(() => {
        Object.assign(globalThis, { sidebarPaintedAt: performance.now() });
      });
  };
  requestAnimationFrame(checkFrame);
}

/** The milliseconds from the end of the registration's reply to the painted sidebar; undefined until it is painted. */
export function sidebarOpenedMs(): number | undefined {
  const { sidebarPaintedAt } = globalThis as { sidebarPaintedAt?: number };
  const replies = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
  const reply = replies.find(({ name }) => name.endsWith("/register"));
  return reply && sidebarPaintedAt !== undefined ? sidebarPaintedAt - reply.responseEnd : undefined;
}

/** Does something and resolves with the milliseconds until an element that `shown` selects is painted. */
export const measureUntilShown = ({
  click,
  hash,
  field,
  text,
  shown,
}: {
  /** What is clicked on. */
  click?: string;
  /** The view that is opened. */
  hash?: string;
  /** The field that gets the text. */
  field?: string;
  text?: string;
  shown: string;
}): Promise<number> =>
  new Promise((resolve) => {
    const startedAt = performance.now();
    if (click) document.querySelector<HTMLElement>(click)?.click();
    if (hash) location.hash = hash;
    const input = field ? document.querySelector<HTMLInputElement>(field) : null;
    if (input) {
      input.value = text ?? "";
      input.dispatchEvent(new Event("input", { bubbles: true }));
    }
    const checkFrame = () => {
      const element = document.querySelector<HTMLElement>(shown);
      if (!element?.offsetParent) requestAnimationFrame(checkFrame);
      // A frame's callback runs before its paint.
      else setTimeout(() => resolve(performance.now() - startedAt));
    };
    requestAnimationFrame(checkFrame);
  });

/**
 * Scrolls the element that `of` selects 300 px per frame, and stops after `maxPixels` or `maxMs`, or when the list has not moved for 10 s: it has ended, or
 * loads too slowly.
 */
export const countLateFrames = ({
  of,
  down,
  maxPixels,
  maxMs,
}: {
  of: string;
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
      const list = document.querySelector(of);
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
