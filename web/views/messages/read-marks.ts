import { useEffect, useRef } from "preact/hooks";
import { markRead } from "../../actions.ts";
import { settings, state } from "../../session.ts";
import { marksAsRead, type Narrow } from "../../state/narrow.ts";
import { firstBelow } from "./row-window.ts";

/** The visible part of a message from which on it counts as read. */
const minReadFraction = 0.3;

/**
 * Returns a function that marks the visible messages as read, except those that the user has marked as unread. It does nothing
 * while the page does not have the focus, and in views in which reading does not count (`marksAsRead`).
 */
export function useReadMarks(
  narrow: Narrow,
  scroller: { current: HTMLDivElement | null },
  renderedRows: { current: readonly HTMLElement[] },
) {
  const keptUnread = useRef(new Set<number>());
  const markVisible = () => {
    const frame = scroller.current;
    if (!frame || document.visibilityState !== "visible" || !document.hasFocus()) return;
    if (!marksAsRead(narrow, settings.peek()?.web_mark_read_on_scroll_policy)) return;
    const { top, bottom, height } = frame.getBoundingClientRect();
    const visibleIds: number[] = [];
    for (let index = firstBelow(renderedRows.current, top); index < renderedRows.current.length; index++) {
      const row = renderedRows.current[index] as HTMLElement;
      const box = row.getBoundingClientRect();
      if (box.top >= bottom) break;
      // Of a message that is longer than the screen, a fraction of the screen is enough.
      const visiblePixels = Math.min(box.bottom, bottom) - Math.max(box.top, top);
      if (visiblePixels < minReadFraction * Math.min(box.height, height)) continue;
      const id = Number(row.dataset.messageId);
      if (!keptUnread.current.has(id) && state.peek()?.messages.get(id)?.flags.includes("read") === false)
        visibleIds.push(id);
    }
    if (visibleIds.length > 0) markRead(visibleIds);
  };
  useEffect(() => {
    const onKeptUnread = (event: Event) => {
      for (const id of (event as CustomEvent<number[]>).detail) keptUnread.current.add(id);
    };
    addEventListener("skein-kept-unread", onKeptUnread);
    addEventListener("focus", markVisible);
    document.addEventListener("visibilitychange", markVisible);
    return () => {
      removeEventListener("skein-kept-unread", onKeptUnread);
      removeEventListener("focus", markVisible);
      document.removeEventListener("visibilitychange", markVisible);
    };
  }, []);
  return markVisible;
}
