import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../../base/languages/language.ts";
import { isStoredAlike, isTooLong } from "../../base/lib/length.ts";
import { useOneAtATime } from "../../parts/fields/form.tsx";
import { perSession } from "../../session/session.ts";
import { currentState, settings } from "../../session/store.ts";
import { toastWithUndo, tryTo } from "../../session/toasts.ts";
import { type Edit, type EditKey, edits, isChanged, putEdit, removeEdit } from "../../session/unsent/edits.ts";
import { maxMessageLength, type Recipient } from "../../state/recipient.ts";
import { uploadsOf, Writer, type WriterDialogs, type Written } from "./writer.tsx";

/** Changes the text of a message that was sent or scheduled, in its place. */

const opened = perSession(() => ({
  /** The edit whose form takes the focus when it opens. */
  focusedKey: undefined as EditKey | undefined,
  /** What had the focus when the form was opened, and gets it back. */
  by: undefined as HTMLElement | undefined,
}));

/** Opens the form for a text, or gives the focus to the one that is open. */
export function openEdit(key: EditKey, edit: Edit): void {
  opened().focusedKey = key;
  opened().by = document.activeElement instanceof HTMLElement ? document.activeElement : undefined;
  if (edits.peek().has(key)) document.querySelector<HTMLElement>(`[data-edit="${key}"] textarea`)?.focus();
  else putEdit(key, edit);
}

const writtenIn = (key: EditKey, { text }: Edit): Written => ({
  id: `edit-${key}`,
  text,
  latest: () => edits.peek().get(key)?.text,
  change: (changed) => {
    const latest = edits.peek().get(key);
    if (latest) putEdit(key, { ...latest, text: changed });
  },
  isInField: () => edits.peek().has(key),
});

export function EditForm({
  editKey: key,
  edit,
  label,
  recipient,
  save,
  findCloser,
  dialogs,
}: {
  editKey: EditKey;
  edit: Edit;
  label: string;
  recipient: Recipient;
  /** Saves a text in the place of `original`. Returns the text that is there instead of it, if there is another; throws if it fails. */
  save: (text: string, original: string) => Promise<string | undefined>;
  /** What gets the focus when the form closes and what opened it is gone. */
  findCloser: () => HTMLElement | null;
  dialogs: WriterDialogs;
}) {
  const form = useRef<HTMLFormElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const oneAtATime = useOneAtATime();
  const written = writtenIn(key, edit);
  const max = maxMessageLength(currentState());
  const isReady = !isTooLong(edit.text, max) && uploadsOf(written).length === 0;
  // At once: what is typed next is for this field.
  useLayoutEffect(() => {
    if (opened().focusedKey === key) {
      form.current?.scrollIntoView({ block: "nearest" });
      field.current?.focus({ preventScroll: true });
    }
    opened().focusedKey = undefined;
    const area = field.current;
    return () => {
      // The row of a message is rendered anew when its topic moves: who writes goes on writing.
      if (document.activeElement === area && edits.peek().has(key)) opened().focusedKey = key;
    };
  }, [key]);
  /** Closes the form, and gives the focus back to what had it before. */
  const close = () => {
    const hasFocus = form.current?.contains(document.activeElement);
    removeEdit(key);
    const opener = opened().by;
    if (hasFocus)
      (opener?.isConnected && opener !== document.body ? opener : findCloser())?.focus({ preventScroll: true });
  };
  const trySave = () =>
    oneAtATime(async () => {
      if (!isReady) return;
      const { text, original } = edit;
      const outcome: { theirs?: string | undefined } = {};
      putEdit(key, { ...edit, saving: text });
      const isDone = await tryTo(async () => {
        const theirs = await save(text, original);
        // An earlier attempt succeeded and its reply was lost.
        const isOwn = theirs !== undefined && edit.saving !== undefined && isStoredAlike(theirs, edit.saving);
        outcome.theirs = isOwn ? await save(text, theirs) : theirs;
      });
      const latest = edits.peek().get(key);
      if (!isDone || !latest) return;
      const { theirs } = outcome;
      if (theirs !== undefined) putEdit(key, { ...latest, original: theirs, theirs });
      // What the user has typed since is not saved yet.
      else if (latest.text !== text) {
        const { theirs: _, saving: __, ...rest } = latest;
        putEdit(key, { ...rest, original: text });
      } else close();
    });
  const cancel = () => {
    close();
    if (isChanged(edit))
      toastWithUndo(t("Your changes to the message were discarded."), async () => putEdit(key, edit));
  };
  return (
    <form
      class="edit-form"
      data-edit={key}
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        void trySave();
      }}
    >
      {edit.theirs !== undefined && (
        <div class="conflict" role="alert">
          <p>{t("This text was changed elsewhere in the meantime. It now reads:")}</p>
          <p class="pre">{edit.theirs}</p>
          <p class="quiet small">{t("Saving replaces it with yours.")}</p>
        </div>
      )}
      <Writer
        written={written}
        field={field}
        label={label}
        placeholder=""
        recipient={recipient}
        max={max}
        dropOn={form}
        onSubmit={() => void trySave()}
        onEscape={cancel}
        dialogs={dialogs}
      >
        <span class="quiet small hint">{settings.value?.enter_sends ? t("Enter saves") : t("Ctrl+Enter saves")}</span>
        <button type="button" onClick={cancel}>
          {t("Cancel")}
        </button>
        <button type="submit" class="primary" disabled={!isReady}>
          {t("Save")}
        </button>
      </Writer>
    </form>
  );
}
