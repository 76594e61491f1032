import { lazy } from "../../parts/lazy.tsx";

/** The dialogs of `Writer`, loaded when the first of them is shown. */
export const writerDialogs = {
  Snippets: lazy(async () => (await import("./snippets.tsx")).Snippets),
  TimeDialog: lazy(async () => (await import("../../parts/fields/time-dialog.tsx")).TimeDialog),
};
