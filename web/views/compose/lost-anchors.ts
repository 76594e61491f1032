import { batch, effect, untracked } from "@preact/signals";
import { ApiFailure } from "../../base/api/client.ts";
import { t } from "../../base/languages/language.ts";
import { isStoredAlike } from "../../base/lib/length.ts";
import { go, goToNarrow } from "../../navigation/router.ts";
import { channelName } from "../../parts/parts.tsx";
import { fetchMarkdown } from "../../session/actions/fetch-messages.ts";
import { currentState, onEvents, openNarrows, registrations, state } from "../../session/store.ts";
import { toast } from "../../session/toasts.ts";
import { discard } from "../../session/unsent/delivery.ts";
import {
  type EditKey,
  editOfMessage,
  editOfScheduled,
  edits,
  isChanged,
  makeDraftOf,
  messageIdOf,
  noteStored,
  removeEdit,
} from "../../session/unsent/edits.ts";
import { writing } from "../../session/unsent/unsent-messages.ts";
import type { ServerEvent } from "../../state/events/handler.ts";
import { deletedIn, editedIn } from "../../state/events/message-events.ts";
import { type Conversation, conversationOf, type State } from "../../state/model.ts";
import { matches } from "../../state/narrow.ts";
import { conversationFor, isSameRecipient } from "../../state/recipient.ts";
import { scheduledConversation } from "../../state/scheduled-conversation.ts";
import { compose } from "./compose-state.ts";

/**
 * Compares what is kept in this browser with what the server has. What it has saved or scheduled although the reply was lost is no
 * longer kept. And it tells the user when that is gone in whose place they write: the message or the scheduled message that they
 * edit, or the channel of a draft. What they wrote becomes a draft, or is one already.
 */

/** Makes a draft of an edit whose message is gone, and says so. */
function release(key: EditKey, conversation: Conversation | undefined, notice: string): void {
  const draft = batch(() => makeDraftOf(key, conversation));
  if (draft) toast(notice, { label: t("Keep writing"), run: () => compose.resume(draft) });
}

const deletedNotice = () => t("The message that you were editing is gone. Your text is a draft now.");

/**
 * Closes the edits that the server has saved, and makes drafts of those whose messages are gone. Nothing tells a page that was closed
 * or offline meanwhile.
 */
async function checkEdits(): Promise<void> {
  for (const key of edits.peek().keys()) {
    const id = messageIdOf(key);
    if (id === undefined) {
      const message = [...currentState().scheduled.values()].find(
        ({ scheduled_message_id }) => editOfScheduled(scheduled_message_id) === key,
      );
      if (message) closeIfStored(key, message.content);
      else release(key, undefined, scheduledNotice());
      continue;
    }
    try {
      closeIfStored(key, await fetchMarkdown(id));
    } catch (error) {
      if (error instanceof ApiFailure && error.status === 400) release(key, undefined, deletedNotice());
    }
  }
}

function closeIfStored(key: EditKey, text: string): void {
  const before = edits.peek().get(key);
  noteStored(key, text);
  const edit = edits.peek().get(key);
  if (edit && edit !== before && !isChanged(edit)) removeEdit(key);
}

/** Discards the messages that the server has scheduled. */
function checkScheduled(): void {
  const current = currentState();
  for (const { id, recipient, text, scheduledFor } of writing.peek().values()) {
    const conversation = scheduledFor === undefined ? undefined : conversationFor(recipient, current);
    const isScheduled = [...current.scheduled.values()].some(
      (scheduled) =>
        conversation &&
        scheduled.scheduled_delivery_timestamp === scheduledFor &&
        isStoredAlike(scheduled.content, text.trim()) &&
        isSameRecipient(scheduledConversation(scheduled, current.userId), conversation),
    );
    if (isScheduled) discard(id);
  }
}

const scheduledNotice = () =>
  t("The scheduled message that you were editing was sent or deleted. Your text is a draft now.");

function onMessageEvent(event: ServerEvent, { messages, userId }: State): void {
  if (event.type === "delete_message")
    for (const id of deletedIn(event)) {
      const message = messages.get(id);
      release(editOfMessage(id), message && conversationOf(message, userId), deletedNotice());
    }
  else if (event.type === "scheduled_messages") {
    if (event.op === "remove") release(editOfScheduled(event.scheduled_message_id), undefined, scheduledNotice());
    else if (event.op === "update")
      noteStored(editOfScheduled(event.scheduled_message.scheduled_message_id), event.scheduled_message.content);
    else checkScheduled();
  } else if (event.type === "update_message") {
    if (event.content !== undefined) noteStored(editOfMessage(event.message_id), event.content);
    for (const id of editedIn(event)) noteMove(id);
  }
}

/** Says where a message is that was moved out of the view in which the user edits it. */
function noteMove(id: number): void {
  const edit = edits.peek().get(editOfMessage(id));
  const current = currentState();
  const message = current.messages.get(id);
  if (!edit || !isChanged(edit) || !message) return;
  if (openNarrows.peek().some((narrow) => matches(narrow, message, current) !== false)) return;
  toast(t("The message that you are editing was moved."), {
    label: t("Show"),
    run: () => goToNarrow(conversationOf(message, currentState().userId), id),
  });
}

/** Says which drafts are of channels that the user no longer sees. */
function noteLostChannels(before: State): void {
  const { channels } = currentState();
  for (const channelId of new Set(
    [...writing.peek().values()].flatMap(({ recipient, text }) =>
      recipient.kind === "topic" && text.trim() !== "" ? [recipient.channelId] : [],
    ),
  ))
    if (before.channels.has(channelId) && !channels.has(channelId))
      toast(
        t("The channel {name} is gone. What you wrote there is in your drafts.", {
          name: before.channels.get(channelId)?.name ?? channelName(channelId),
        }),
        { label: t("Show"), run: () => go({ kind: "drafts" }) },
      );
}

/** Returns a function that stops this. */
export function startAnchorNotices(): () => void {
  const stopListening = onEvents((events, before) => {
    for (const event of events) onMessageEvent(event, before);
    if (events.some(({ type }) => type === "stream" || type === "subscription")) {
      noteLostChannels(before);
      void checkEdits();
    }
  });
  const stopChecking = effect(() => {
    void registrations.value;
    untracked(() => {
      // There is no registration after the end of a session.
      if (!state.value) return;
      checkScheduled();
      void checkEdits();
    });
  });
  return () => {
    stopListening();
    stopChecking();
  };
}
