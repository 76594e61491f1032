import { isInvalidKeyError } from "../base/api/client.ts";
import { t } from "../base/languages/language.ts";
import { later, perSession, sessionSignal } from "./session.ts";

/** Notices that appear for some seconds. */

interface ToastAction {
  label: string;
  run: () => void;
  /** The key that does the same, in the form of `aria-keyshortcuts`. */
  shortcut?: string;
}

export interface Toast {
  id: number;
  text: string;
  /** An action that the notice offers. */
  action?: ToastAction;
  /** The fraction that is done of work that takes long, 0 to 1. */
  progress?: number;
}

export const toasts = sessionSignal<readonly Toast[]>([]);
/** Whether the pointer or the focus is on the notices, which then stay. */
const own = perSession(() => ({ isHeld: false, lastId: 0 }));
export const holdToasts = (isHeld: boolean) => {
  own().isHeld = isHeld;
};

const maxToasts = 4;
const toastMs = 8000;
/** Longer, because one has to read what happened, decide, and reach the button. */
const undoMs = 15_000;
const heldMs = 2000;
const undoShortcut = "Control+Z";

const closeAfter = (id: number, ms: number): void =>
  void later(() => (own().isHeld ? closeAfter(id, heldMs) : closeToast(id)), ms);

function put(shown: Toast): void {
  const isShown = toasts.value.some(({ id }) => id === shown.id);
  toasts.value = isShown
    ? toasts.value.map((other) => (other.id === shown.id ? shown : other))
    : [...toasts.value.slice(1 - maxToasts), shown];
}

export function toast(text: string, action?: ToastAction, ms = toastMs): void {
  const id = ++own().lastId;
  put({ id, text, ...(action && { action }) });
  closeAfter(id, ms);
}

/** Says what was done, and offers to undo it. */
export const toastWithUndo = (text: string, undo: () => Promise<unknown>) =>
  toast(text, { label: t("Undo"), run: () => void tryTo(undo), shortcut: undoShortcut }, undoMs);

/** Shows the progress of work until it ends; `cancel` is called when the user asks for that. */
export function progressToast(cancel: () => void) {
  const id = ++own().lastId;
  return {
    update: (text: string, progress: number) =>
      put({ id, text, progress, action: { label: t("Cancel"), run: cancel } }),
    close: () => closeToast(id),
  };
}

export const closeToast = (id: number) => {
  toasts.value = toasts.value.filter((shown) => shown.id !== id);
  if (toasts.value.length === 0) holdToasts(false);
};

/** Does what a notice offers, and closes it. */
export function runToast({ id, action }: Toast): void {
  closeToast(id);
  action?.run();
}

/** Undoes what the newest notice offers to undo; returns whether there is one. */
export function undoNewest(): boolean {
  const newest = toasts.value.findLast(({ action }) => action?.shortcut === undoShortcut);
  if (newest) runToast(newest);
  return newest !== undefined;
}

/** Runs an action and shows a notice if it fails; returns whether it succeeded. */
export async function tryTo(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return false;
    // The login, which is now shown, says that the session has ended.
    if (isInvalidKeyError(error)) return false;
    toast(error instanceof Error ? error.message : String(error));
    return false;
  }
}
