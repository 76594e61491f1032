import { signal } from "@preact/signals";

/** The message that the keyboard acts on. */
export const selected = signal<number | undefined>(undefined);

export const rowOf = (id: number) => document.querySelector<HTMLElement>(`[data-message-id="${id}"]`);

/** Selects the message before or after the selected one; the first on the screen where none is selected. */
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

/** Tells the list that these messages stay unread although they are on the screen. */
export const keepUnread = (ids: number[]) => dispatchEvent(new CustomEvent("skein-kept-unread", { detail: ids }));
