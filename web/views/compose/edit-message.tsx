import { ApiFailure } from "../../base/api/client.ts";
import { t } from "../../base/languages/language.ts";
import { sha256 } from "../../base/lib/digest.ts";
import { isStoredAlike } from "../../base/lib/length.ts";
import { goToNarrow } from "../../navigation/router.ts";
import { rowOf } from "../../navigation/selection.ts";
import { editMessage } from "../../session/actions/change-messages.ts";
import { fetchMarkdown } from "../../session/actions/fetch-messages.ts";
import { currentState, openNarrows } from "../../session/store.ts";
import { tryTo } from "../../session/toasts.ts";
import { type Edit, editOfMessage } from "../../session/unsent/edits.ts";
import { conversationOf, type Message } from "../../state/model.ts";
import { narrowKey } from "../../state/narrow.ts";
import { EditForm, openEdit } from "./edit-form.tsx";
import { writerDialogs } from "./writer-dialogs.ts";

/** Edits a message in place. The text is kept when the page is reloaded, and the editor is open again then. */

/** Opens the editor of a message. */
export const beginEdit = (messageId: number): Promise<unknown> =>
  tryTo(async () => {
    const text = await fetchMarkdown(messageId);
    const { messages, userId } = currentState();
    const message = messages.get(messageId);
    const recipient = message && conversationOf(message, userId);
    openEdit(editOfMessage(messageId), { text, original: text, ...(recipient && { recipient }) });
  });

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

/** Saves an edit, unless the message no longer has the text that it replaces: then returns the one that it has. */
async function save(id: number, text: string, original: string): Promise<string | undefined> {
  const digest = await sha256(original);
  if (digest === undefined) {
    const current = await fetchMarkdown(id);
    if (current !== original) return isStoredAlike(current, text) ? undefined : current;
  }
  try {
    await editMessage(id, { content: text, ...(digest !== undefined && { prev_content_sha256: digest }) });
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiFailure && error.code === "EXPECTATION_MISMATCH")) throw error;
    const current = await fetchMarkdown(id);
    // The reply to an earlier attempt may have been lost.
    return isStoredAlike(current, text) ? undefined : current;
  }
}

export const EditMessage = ({ message, edit }: { message: Message; edit: Edit }) => (
  <EditForm
    editKey={editOfMessage(message.id)}
    edit={edit}
    label={t("Text of the message")}
    recipient={conversationOf(message, currentState().userId)}
    save={(text, original) => save(message.id, text, original)}
    findCloser={() => rowOf(message.id)}
    dialogs={writerDialogs}
  />
);
