import type { VNode } from "preact";
import { sessionSignal } from "../session/session.ts";

/**
 * The dialog that was opened from a row of a list, such as a message. It is the page's: rows go when events come, when somebody
 * moves the topic, and when the list is fetched again, and what is typed in the dialog would go with them.
 */
export const pageDialog = sessionSignal<VNode | undefined>(undefined);

/** Opens a dialog, which gets what closes it. */
export const openDialog = (dialog: (onClose: () => void) => VNode) => {
  pageDialog.value = dialog(() => {
    pageDialog.value = undefined;
  });
};
