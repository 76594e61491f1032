import { lazyDialog } from "../../parts/lazy.tsx";

/** The dialogs of `Writer`, loaded when the first of them is shown. */
export const writerDialogs = {
  Snippets: lazyDialog(async () => (await import("./snippets.tsx")).Snippets),
  TimeDialog: lazyDialog(async () => (await import("../../parts/fields/time-dialog.tsx")).TimeDialog),
};
