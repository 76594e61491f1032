import { sessionSignal } from "../session/session.ts";

/** Whether the dialog with the user's own status is open. */
export const isStatusOpen = sessionSignal(false);
export const openStatus = () => {
  isStatusOpen.value = true;
};
export const closeStatus = () => {
  isStatusOpen.value = false;
};
