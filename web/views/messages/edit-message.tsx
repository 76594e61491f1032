import { useEffect, useRef } from "preact/hooks";
import { editMessage, fetchMarkdown } from "../../actions.ts";
import type { Message } from "../../state/model.ts";
import { toastWithUndo, tryTo } from "../../toasts.ts";
import { type Edit, edits, putEdit, removeEdit } from "../../unsent/edits.ts";
import { FormButtons } from "../parts/form.tsx";

/** Edits a message in place. The text is kept when the page is reloaded, and the editor is open again then. */

/** The message whose editor takes the focus when it opens. */
let focusedMessageId: number | undefined;

/** Opens the editor of a message. */
export async function beginEdit(messageId: number): Promise<void> {
  await tryTo(async () => {
    const text = await fetchMarkdown(messageId);
    focusedMessageId = messageId;
    if (!edits.peek().has(messageId)) putEdit(messageId, { text, original: text });
  });
}

export function EditMessage({ message: { id }, edit }: { message: Message; edit: Edit }) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (focusedMessageId === id) field.current?.focus();
    focusedMessageId = undefined;
  }, [id]);
  const save = async () => {
    const { text } = edit;
    if (!(await tryTo(() => editMessage(id, { content: text })))) return;
    const latest = edits.peek().get(id);
    // What the user has typed since is not saved yet.
    if (latest && latest.text !== text) putEdit(id, { text: latest.text, original: text });
    else removeEdit(id);
  };
  const cancel = () => {
    removeEdit(id);
    if (edit.text !== edit.original)
      toastWithUndo("Your changes of the message were discarded.", async () => putEdit(id, edit));
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
          aria-label="Text of the message"
          value={edit.text}
          onInput={(event) => putEdit(id, { ...edit, text: event.currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key === "Escape") {
              event.stopPropagation();
              cancel();
            }
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
              event.preventDefault();
              void save();
            }
          }}
        />
      </div>
      <FormButtons submit="Save" onCancel={cancel} />
    </form>
  );
}
