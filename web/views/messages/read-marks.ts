import { useEffect } from "preact/hooks";
import { keptUnread } from "../../navigation/selection.ts";
import { markRead } from "../../session/actions/mark-read.ts";
import { settings, state } from "../../session/store.ts";
import { marksAsRead, type Narrow } from "../../state/narrow.ts";
import { rowsInView } from "./row-window.ts";

/**
 * Returns a function that marks the visible messages as read, except those that the user has marked as unread. It does nothing
 * while the page does not have the focus, and in views in which reading does not count (`marksAsRead`).
 */
export function useReadMarks(
  narrow: Narrow,
  scroller: { current: HTMLDivElement | null },
  renderedRows: { current: readonly HTMLElement[] },
) {
  const markVisible = () => {
    const frame = scroller.current;
    if (!frame || document.visibilityState !== "visible" || !document.hasFocus()) return;
    if (!marksAsRead(narrow, settings.peek()?.web_mark_read_on_scroll_policy)) return;
    const visibleIds = rowsInView(frame, renderedRows.current)
      .map((row) => Number(row.dataset.messageId))
      .filter((id) => !keptUnread().has(id) && state.peek()?.messages.get(id)?.flags.includes("read") === false);
    if (visibleIds.length > 0) markRead(visibleIds);
  };
  useEffect(() => {
    addEventListener("focus", markVisible);
    document.addEventListener("visibilitychange", markVisible);
    return () => {
      removeEventListener("focus", markVisible);
      document.removeEventListener("visibilitychange", markVisible);
    };
  }, []);
  return markVisible;
}
