import { useLayoutEffect, useRef } from "preact/hooks";
import { editMessage, fetchMarkdown } from "../../actions.ts";
import { t } from "../../languages/language.ts";
import { currentState, openNarrows } from "../../session.ts";
import type { Message } from "../../state/model.ts";
import { narrowKey } from "../../state/narrow.ts";
import { toastWithUndo, tryTo } from "../../toasts.ts";
import { type Edit, edits, putEdit, removeEdit } from "../../unsent/edits.ts";
import { applyFormat, continueList, formatOf, hasModifier } from "../compose/formatting.ts";
import { goToNarrow } from "../navigation/router.ts";
import { FormButtons } from "../parts/form.tsx";
import { rowOf } from "./selection.ts";

/** Edits a message in place. The text is kept when the page is reloaded, and the editor is open again then. */

/** The message whose editor takes the focus when it opens. */
let focusedMessageId: number | undefined;

/** What had the focus when the editor was opened, and gets it back. */
let opener: HTMLElement | undefined;

/** Opens the editor of a message. */
export async function beginEdit(messageId: number): Promise<void> {
  await tryTo(async () => {
    const text = await fetchMarkdown(messageId);
    focusedMessageId = messageId;
    opener = document.activeElement instanceof HTMLElement ? document.activeElement : undefined;
    if (edits.peek().has(messageId)) rowOf(messageId)?.querySelector("textarea")?.focus();
    else putEdit(messageId, { text, original: text });
  });
}

/** Opens the editor of the newest message that the user has sent to the conversation on the screen. */
export function editLastOwn(): void {
  const [narrow] = openNarrows.peek();
  const { lists, messages, userId } = currentState();
  if (!narrow) return;
  const id = lists.get(narrowKey(narrow))?.ids.findLast((listed) => messages.get(listed)?.sender_id === userId);
  if (id === undefined) return;
  if (!rowOf(id)) goToNarrow(narrow, id);
  void beginEdit(id);
}

export function EditMessage({ message: { id }, edit }: { message: Message; edit: Edit }) {
  const field = useRef<HTMLTextAreaElement>(null);
  // At once: what is typed next is for this field.
  useLayoutEffect(() => {
    if (focusedMessageId === id) field.current?.focus();
    focusedMessageId = undefined;
  }, [id]);
  /** Closes the editor, and gives the focus back to what had it before. */
  const close = () => {
    const hasFocus = field.current?.form?.contains(document.activeElement);
    removeEdit(id);
    if (hasFocus)
      (opener?.isConnected && opener !== document.body ? opener : rowOf(id))?.focus({ preventScroll: true });
  };
  const save = async () => {
    const { text } = edit;
    if (!(await tryTo(() => editMessage(id, { content: text })))) return;
    const latest = edits.peek().get(id);
    // What the user has typed since is not saved yet.
    if (latest && latest.text !== text) putEdit(id, { text: latest.text, original: text });
    else close();
  };
  const cancel = () => {
    close();
    if (edit.text !== edit.original)
      toastWithUndo(t("Your changes of the message were discarded."), async () => putEdit(id, edit));
  };
  return (
    <form
      class="edit-form"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <div class="growing-field" data-text={edit.text}>
        <textarea
          ref={field}
          aria-label={t("Text of the message")}
          dir="auto"
          value={edit.text}
          onInput={(event) => putEdit(id, { ...edit, text: event.currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key === "Escape") {
              event.stopPropagation();
              cancel();
            }
            const format = formatOf(event);
            if (format) {
              event.preventDefault();
              applyFormat(event.currentTarget, format);
            }
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
              event.preventDefault();
              void save();
            } else if (
              event.key === "Enter" &&
              !event.isComposing &&
              !hasModifier(event) &&
              continueList(event.currentTarget)
            )
              event.preventDefault();
          }}
        />
      </div>
      <FormButtons submit={t("Save")} onCancel={cancel} />
    </form>
  );
}
