import { isStoredAlike } from "../../base/lib/length.ts";
import type { Recipient } from "../../state/recipient.ts";
import { onSession, sessionSignal } from "../session.ts";
import { onOtherWindow, readRecord, recordIds, writeRecord } from "./storage.ts";
import { account, findUnsent, putUnsent, type UnsentMessage } from "./unsent-messages.ts";

/**
 * The texts of sent and of scheduled messages that the user is changing. They are kept in this browser until the user saves or
 * cancels; if what they change is gone, they become drafts.
 */

export interface Edit {
  text: string;
  /** The text that it replaces. */
  original: string;
  /** Where the message was when the edit began. */
  recipient?: Recipient;
  /** The text that somebody else, or the user elsewhere, has saved meanwhile, until the user has seen and saved over it. */
  theirs?: string;
  /** The text that the server was asked to save: it may have done so although its reply was lost. */
  saving?: string;
}

/** What an edit changes: a message (`12`), or a scheduled message (`scheduled-12`). */
export type EditKey = string;
export const editOfMessage = (id: number): EditKey => String(id);
export const editOfScheduled = (id: number): EditKey => `scheduled-${id}`;
/** The ID of the message that an edit changes; undefined if it changes a scheduled message. */
export const messageIdOf = (key: EditKey): number | undefined => (/^\d+$/.test(key) ? Number(key) : undefined);

const recordPrefix = "edit:";

/** The open edits. */
export const edits = sessionSignal<ReadonlyMap<EditKey, Edit>>(new Map());

export const isChanged = ({ text, original }: Edit): boolean => text !== original;

export function putEdit(key: EditKey, edit: Edit): void {
  setInMemory(key, edit);
  store(key, isChanged(edit) ? edit : undefined);
}

export function removeEdit(key: EditKey): void {
  setInMemory(key, undefined);
  store(key, undefined);
}

/** Notes the text that the server has: if it is the one that it was asked to save, only what was typed since is unsaved. */
export function noteStored(key: EditKey, stored: string): void {
  const edit = edits.peek().get(key);
  if (edit?.saving === undefined || !isStoredAlike(edit.saving, stored)) return;
  const { theirs: _, saving, ...rest } = edit;
  putEdit(key, { ...rest, original: saving });
}

function setInMemory(key: EditKey, edit: Edit | undefined): void {
  const others = new Map(edits.peek());
  if (edit) others.set(key, edit);
  else others.delete(key);
  edits.value = others;
}

function store(key: EditKey, edit: Edit | undefined): void {
  const current = account.peek();
  if (current !== undefined) writeRecord(current, recordPrefix + key, edit);
}

/**
 * Makes a draft of an edit whose message is gone, unless nothing was changed. Other windows of this browser may do the same: all of
 * them make one draft.
 */
export function makeDraftOf(key: EditKey, recipient: Recipient | undefined): UnsentMessage | undefined {
  const edit = edits.peek().get(key);
  if (!edit) return undefined;
  const id = `edit-${key}`;
  if (isChanged(edit) && edit.text.trim() !== "" && !findUnsent(id))
    putUnsent({
      id,
      recipient: recipient ?? edit.recipient ?? { kind: "unchosen" },
      text: edit.text,
      changedAt: Date.now(),
    });
  removeEdit(key);
  return findUnsent(id);
}

function readEdit(of: string, key: EditKey): Edit | undefined {
  const edit = readRecord(of, recordPrefix + key) as Edit | undefined;
  return typeof edit?.text === "string" && typeof edit.original === "string" ? edit : undefined;
}

/** The edits that this browser keeps for an account. */
export const storedEdits = (of: string): Map<EditKey, Edit> =>
  new Map(
    recordIds(of).flatMap((id) => {
      const key = id.startsWith(recordPrefix) ? id.slice(recordPrefix.length) : undefined;
      const edit = key !== undefined && readEdit(of, key);
      return key !== undefined && edit ? [[key, edit] as const] : [];
    }),
  );

// Opens the editors again in which there is unsaved text.
onSession((session) => {
  session.effect(() => {
    edits.value = account.value === undefined ? new Map() : storedEdits(account.value);
  });
  // Windows in which the same message is edited have one text.
  onOtherWindow(
    () => account.peek(),
    (id) => {
      const current = account.peek();
      if (current === undefined || !id.startsWith(recordPrefix)) return;
      const key = id.slice(recordPrefix.length);
      const stored = readEdit(current, key);
      // An editor with an unchanged text is not stored.
      const known = edits.peek().get(key);
      if (stored || (known && isChanged(known))) setInMemory(key, stored);
    },
    session.end,
  );
});
