import { signal } from "@preact/signals";

/** Whether the dialog with the user's own status is open. */
export const isStatusOpen = signal(false);
export const openStatus = () => {
  isStatusOpen.value = true;
};
export const closeStatus = () => {
  isStatusOpen.value = false;
};
