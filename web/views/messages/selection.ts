import { signal } from "@preact/signals";

/** The message that keyboard shortcuts apply to. */
export const selected = signal<number | undefined>(undefined);

export const rowOf = (id: number) => document.querySelector<HTMLElement>(`[data-message-id="${id}"]`);

/** Selects the previous or next message, or the first one on the screen if none is selected. */
export function moveSelection(by: 1 | -1): void {
  const frame = document.getElementById("messages");
  if (!frame) return;
  const rows = [...frame.querySelectorAll<HTMLElement>("[data-message-id]")];
  if (rows.length === 0) return;
  const at = rows.findIndex((row) => Number(row.dataset.messageId) === selected.value);
  const top = frame.getBoundingClientRect().top;
  const target =
    at < 0
      ? rows.find((row) => row.getBoundingClientRect().bottom > top + 40)
      : rows[Math.max(0, Math.min(rows.length - 1, at + by))];
  if (!target) return;
  selected.value = Number(target.dataset.messageId);
  target.focus({ preventScroll: true });
  target.scrollIntoView({ block: "nearest" });
}

/** Keeps messages unread although they are on the screen. */
export const keepUnread = (ids: number[]) => dispatchEvent(new CustomEvent("skein-kept-unread", { detail: ids }));
