import { useComputed } from "@preact/signals";
import { t } from "../../base/languages/language.ts";
import { dayAndTime } from "../../base/lib/time.ts";
import { go, goToNarrow } from "../../navigation/router.ts";
import { rows } from "../../parts/boundary.tsx";
import { confirmAndTry, excerptOf } from "../../parts/confirm.tsx";
import { Empty } from "../../parts/parts.tsx";
import { fetchMessage } from "../../session/actions/fetch-messages.ts";
import { currentState, state } from "../../session/store.ts";
import { tryTo } from "../../session/toasts.ts";
import { discard, explainFailure, takeBack } from "../../session/unsent/delivery.ts";
import { adoptDraft, deleteDraft, isUnsaved, otherDrafts, recipientOfDraft } from "../../session/unsent/draft-sync.ts";
import { type Edit, type EditKey, messageIdOf, removeEdit } from "../../session/unsent/edits.ts";
import { keptEdits, keptMessages } from "../../session/unsent/kept-texts.ts";
import type { UnsentMessage } from "../../session/unsent/unsent-messages.ts";
import { conversationOf, type Draft } from "../../state/model.ts";
import { conversationFor, type Recipient } from "../../state/recipient.ts";
import { compose } from "../compose/compose-state.ts";
import { recipientName } from "../compose/recipient-fields.tsx";
import { ConversationLink } from "../conversations/conversation-link.tsx";

/** The view of messages that were begun and not sent: those of this browser, and the drafts on the server. */

interface Entry {
  key: string;
  recipient: Recipient;
  text: string;
  /** UNIX milliseconds; unknown of a change of a message. */
  changedAt: number | undefined;
  note: string;
  resume: () => void;
  remove: () => unknown;
}

function noteOn(message: UnsentMessage): string {
  const failure = message.sending?.failure;
  if (failure !== undefined) return explainFailure(failure);
  if (message.sending) return t("waiting for the connection");
  return isUnsaved(message) ? t("Only in this browser") : "";
}

const entryOfMessage = (message: UnsentMessage): Entry => ({
  key: message.id,
  recipient: message.recipient,
  text: message.text,
  changedAt: message.changedAt,
  note: noteOn(message),
  resume: () => compose.resume(message.sending ? takeBack(message) : message),
  remove: () => discard(message.id),
});

const entryOfDraft = (draft: Draft): Entry => ({
  key: `draft-${draft.id}`,
  recipient: recipientOfDraft(draft),
  text: draft.content,
  changedAt: draft.timestamp * 1000,
  note: "",
  resume: () => compose.resume(adoptDraft(draft)),
  remove: () => deleteDraft(draft.id),
});

const entryOfEdit = ([key, edit]: readonly [EditKey, Edit]): Entry => ({
  key: `edit-${key}`,
  recipient: edit.recipient ?? { kind: "unchosen" },
  text: edit.text,
  changedAt: undefined,
  note: messageIdOf(key) === undefined ? t("Edit of a scheduled message") : t("Edit of a message"),
  resume: () => void resumeEdit(key),
  remove: () => removeEdit(key),
});

/** Shows the message or the scheduled message that an edit changes, with its form. */
async function resumeEdit(key: EditKey): Promise<void> {
  const id = messageIdOf(key);
  if (id === undefined) go({ kind: "scheduled" });
  else
    await tryTo(async () => {
      const message = await fetchMessage(id);
      goToNarrow(conversationOf(message, currentState().userId), id);
    });
}

const confirmDeletion = (text: string, remove: Entry["remove"]) =>
  confirmAndTry(
    {
      title: t("Delete the draft?"),
      text: t("Its text will be lost: “{text}”", { text: excerptOf(text) }),
      label: t("Delete"),
    },
    async () => remove(),
  );

export function Drafts() {
  const entries = useComputed(() =>
    [
      ...keptEdits.value.map(entryOfEdit),
      ...keptMessages.value.map(entryOfMessage),
      ...otherDrafts().map(entryOfDraft),
    ].sort((a, b) => (b.changedAt ?? Date.now()) - (a.changedAt ?? Date.now())),
  ).value;
  return (
    <div class="page" id="messages" tabIndex={-1}>
      <h1>{t("Drafts")}</h1>
      {entries.length === 0 && <Empty>{t("Messages you start but don't send are kept here.")}</Empty>}
      <ul class="cards">
        {rows(entries, ({ key, recipient, text, changedAt, note, resume, remove }) => (
          <li key={key}>
            <header>
              <RecipientLink recipient={recipient} />
              {changedAt !== undefined && <time class="quiet small">{dayAndTime(changedAt / 1000)}</time>}
            </header>
            {note && <p class="quiet small">{note}</p>}
            <p class="pre">{text}</p>
            <div class="dialog-actions">
              <button type="button" onClick={() => void confirmDeletion(text, remove)}>
                {t("Delete")}
              </button>
              <button type="button" class="primary" onClick={resume}>
                {t("Keep writing")}
              </button>
            </div>
          </li>
        ))}
      </ul>
    </div>
  );
}

function RecipientLink({ recipient }: { recipient: Recipient }) {
  const conversation = state.value && conversationFor(recipient, state.value);
  if (conversation) return <ConversationLink conversation={conversation} />;
  return <span class="grow">{recipientName(recipient) || t("No recipient yet")}</span>;
}
