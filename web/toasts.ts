import { signal } from "@preact/signals";
import { isInvalidKeyError } from "./api/client.ts";

/** Notices that appear for some seconds. */

export interface Toast {
  id: number;
  text: string;
  /** An action that the notice offers. */
  action?: { label: string; run: () => void };
}

export const toasts = signal<readonly Toast[]>([]);
const maxToasts = 4;
const toastMs = 8000;
let lastToastId = 0;

export function toast(text: string, action?: Toast["action"]): void {
  const id = ++lastToastId;
  toasts.value = [...toasts.value.slice(1 - maxToasts), { id, text, ...(action && { action }) }];
  setTimeout(() => closeToast(id), toastMs);
}
export const closeToast = (id: number) => {
  toasts.value = toasts.value.filter((shown) => shown.id !== id);
};

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
