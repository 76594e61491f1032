import { perSession, sessionSignal } from "../session/session.ts";

/** The ID of the message that keyboard shortcuts apply to. */
export const selectedId = sessionSignal<number | undefined>(undefined);

/** The ID of the message whose emoji picker is open. */
export const openPicker = sessionSignal<number | undefined>(undefined);

/** The lowest and the highest message on the screen; undefined while there is none. */
export const onScreen = sessionSignal<{ first: number; last: number } | undefined>(undefined);

/** A message that the open list is to show. The list takes the request. */
export const scrollRequest = sessionSignal<number | "end" | undefined>(undefined);

/** The row of a message, if it is in the DOM. */
export const rowOf = (id: number) => document.querySelector<HTMLElement>(`[data-message-id="${id}"]`);

/** How much of a row must be visible for it to count as on the screen, in pixels. */
const minVisible = 40;

/** Moves the focus to the previous or next message or conversation of the view; to the first one on the screen if none has it. */
export function moveSelection(step: 1 | -1): void {
  const frame = document.getElementById("messages");
  if (!frame) return;
  const rows = [...frame.querySelectorAll<HTMLElement>("[data-message-id], li .conversation")];
  if (rows.length === 0) return;
  const index = rows.findIndex((row) =>
    row.dataset.messageId
      ? Number(row.dataset.messageId) === selectedId.value
      : row.closest("li")?.contains(document.activeElement),
  );
  const top = frame.getBoundingClientRect().top;
  const target =
    index < 0
      ? rows.find((row) => row.getBoundingClientRect().bottom > top + minVisible)
      : rows[Math.max(0, Math.min(rows.length - 1, index + step))];
  if (!target) return;
  if (target.dataset.messageId) selectedId.value = Number(target.dataset.messageId);
  target.focus({ preventScroll: true });
  target.scrollIntoView({ block: "nearest" });
}

/** The messages of the open list that stay unread although they are on the screen, because the user has marked them so. */
export const keptUnread = perSession(() => new Set<number>());
export const keepUnread = (ids: readonly number[]) => {
  for (const id of ids) keptUnread().add(id);
};
