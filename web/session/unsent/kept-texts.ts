import { computed } from "@preact/signals";
import { isWaiting } from "./delivery.ts";
import { otherDrafts } from "./draft-sync.ts";
import { type Edit, type EditKey, edits, isChanged } from "./edits.ts";
import { type AccountKey, readRecord } from "./storage.ts";
import { outgoing, type UnsentMessage, writing } from "./unsent-messages.ts";

/** Every text that was written and is neither sent nor discarded. The view of drafts shows them all. */

/** Messages that are being written, were refused, or wait for the connection. */
export const keptMessages = computed((): readonly UnsentMessage[] => [
  ...[...writing.value.values()].filter(({ text }) => text.trim() !== ""),
  ...outgoing.value.filter(({ sending }) => sending?.failure !== undefined || isWaiting.value),
]);

/** Changes of messages that were not saved. */
export const keptEdits = computed((): readonly (readonly [EditKey, Edit])[] =>
  [...edits.value].filter(([, edit]) => isChanged(edit)),
);

export const keptCount = computed(() => keptMessages.value.length + keptEdits.value.length + otherDrafts().length);

const widgetRecords = ["poll", "todo"] as const;
/** The record of a poll or a to-do list that is being written in its dialog. */
export type WidgetRecord = (typeof widgetRecords)[number];

/** What was typed into the dialogs of polls and to-do lists. */
export const storedWidgets = (of: AccountKey): string[] =>
  widgetRecords.flatMap((id) => (readRecord(of, id) as { text?: string } | undefined)?.text ?? []);
