import { effect, signal } from "@preact/signals";
import { readRecord, recordIds, writeRecord } from "./storage.ts";
import { account } from "./unsent-messages.ts";

/** The texts of sent messages that the user is changing. They are kept in this browser until the user saves or cancels. */

export interface Edit {
  text: string;
  /** The text when the edit began. */
  original: string;
}

const recordPrefix = "edit:";

/** The open edits by message ID. */
export const edits = signal<ReadonlyMap<number, Edit>>(new Map());

export function putEdit(messageId: number, edit: Edit): void {
  edits.value = new Map(edits.peek()).set(messageId, edit);
  store(messageId, edit.text === edit.original ? undefined : edit);
}

export function removeEdit(messageId: number): void {
  const others = new Map(edits.peek());
  others.delete(messageId);
  edits.value = others;
  store(messageId, undefined);
}

function store(messageId: number, edit: Edit | undefined): void {
  const current = account.peek();
  if (current !== undefined) writeRecord(current, recordPrefix + messageId, edit);
}

/** The edits that this browser keeps for an account, by message ID. */
export const storedEdits = (of: string): Map<number, Edit> =>
  new Map(
    recordIds(of).flatMap((id) => {
      if (!id.startsWith(recordPrefix)) return [];
      const edit = readRecord(of, id) as Edit | undefined;
      return typeof edit?.text === "string" && typeof edit.original === "string"
        ? [[Number(id.slice(recordPrefix.length)), edit] as const]
        : [];
    }),
  );

// Opens the editors again in which there is unsaved text.
effect(() => {
  if (account.value !== undefined) edits.value = storedEdits(account.value);
});
