import { untracked } from "@preact/signals";
import { ApiFailure } from "../../base/api/client.ts";
import type { Conversation, Draft } from "../../state/model.ts";
import { fits, isSameRecipient, type Recipient } from "../../state/recipient.ts";
import { connection } from "../events.ts";
import { call, later, onSession, perSession } from "../session.ts";
import { currentState, onEvents, settings, slice, state } from "../store.ts";
import { withLock } from "./lock.ts";
import {
  account,
  draftContent,
  findUnsent,
  newId,
  outgoing,
  putUnsent,
  refreshUnsent,
  type UnsentMessage,
  writing,
} from "./unsent-messages.ts";

/** Saves the messages that are being written as drafts on the server, a moment after the last key press. */

const saveDelayMs = 1500;
const retryDelayMs = 15_000;
/** How long a draft may take from the request to its event: longer than the server works on a request. */
const creationTimeoutMs = 45_000;

/** Whether the draft on the server differs from the message. */
export const isUnsaved = (message: UnsentMessage): boolean =>
  message.text.trim() === ""
    ? message.draft !== undefined
    : message.draft?.content !== draftContent(message) || message.draft.requestedAt !== undefined;

export const recipientOfDraft = ({ type, to, topic }: Draft): Recipient =>
  type === "stream" && to[0] !== undefined
    ? { kind: "topic", channelId: to[0], topic }
    : type === "private"
      ? { kind: "direct", userIds: to }
      : { kind: "unchosen" };

const serverDrafts = slice(({ drafts }) => drafts);

/** The drafts of the server that no message of this browser has, the newest first. */
function unknownDrafts(): Draft[] {
  const known = new Set([...writing.value.values(), ...outgoing.value].map(({ draft }) => draft?.id));
  return [...(serverDrafts.value?.values() ?? [])]
    .filter(({ id }) => !known.has(id))
    .sort((a, b) => b.timestamp - a.timestamp || b.id - a.id);
}

const contentOfDraft = (draft: Draft) => draftContent({ recipient: recipientOfDraft(draft), text: draft.content });

/** The drafts of the server that this browser did not create, the newest first. */
export function otherDrafts(): Draft[] {
  const requested = new Set(
    [...writing.value.values(), ...outgoing.value].flatMap(({ draft }) =>
      draft?.requestedAt !== undefined ? draft.content : [],
    ),
  );
  return unknownDrafts().filter((draft) => !requested.has(contentOfDraft(draft)));
}

/** Makes a draft of the server a message that this browser goes on writing. */
export function adoptDraft(draft: Draft): UnsentMessage {
  const recipient = recipientOfDraft(draft);
  const message = { recipient, text: draft.content };
  const adopted = {
    ...message,
    id: newId(),
    changedAt: Date.now(),
    draft: { id: draft.id, content: draftContent(message) },
  };
  putUnsent(adopted);
  return adopted;
}

type Written = Pick<UnsentMessage, "recipient" | "text" | "changedAt">;

/** The fields of a draft as the API takes them. */
const fieldsOf = ({ recipient, text, changedAt }: Written) => ({
  ...(recipient.kind === "topic"
    ? { type: "stream" as const, to: [recipient.channelId], topic: recipient.topic.trim() }
    : recipient.kind === "direct" && recipient.userIds.length > 0
      ? { type: "private" as const, to: [...recipient.userIds], topic: "" }
      : { type: "" as const, to: [], topic: "" }),
  content: text.trim(),
  timestamp: Math.floor(changedAt / 1000),
});

/** What cancels the timers that save messages, by ID. */
const timers = perSession(() => new Map<string, () => void>());

function saveLater(id: string, delayMs = saveDelayMs): void {
  const waiting = timers();
  waiting.get(id)?.();
  const saveNow = () => {
    waiting.delete(id);
    void save(id);
  };
  waiting.set(id, later(saveNow, delayMs));
}

/** Saves a message's draft, or deletes it if the text is empty. A failure is not shown: the text is in this browser. */
const save = (id: string): Promise<void> =>
  withLock(`draft-${account.peek()}-${id}`, async () => {
    const message = refreshUnsent(id);
    if (!message || message.sending || !isUnsaved(message) || !isEnabled()) return;
    // The server would cut it: it stays in this browser only.
    if (!fits(currentState(), message.recipient, message.text)) return;
    try {
      await write(message);
    } catch (error) {
      const isRefusal =
        error instanceof ApiFailure && error.status >= 400 && error.status < 500 && error.status !== 429;
      // Another attempt with the same content would be refused, too.
      if (isRefusal) setDraft(id, { id: message.draft?.id, content: draftContent(message) });
      else saveLater(id, retryDelayMs);
    }
  });

async function write(message: UnsentMessage): Promise<void> {
  const content = draftContent(message);
  const draftId = message.draft?.id ?? createdDraft(message)?.id;
  // The server may still create the draft, although the page that asked for it is gone or got no reply.
  const requestedAt = message.draft?.requestedAt ?? 0;
  if (draftId === undefined && Date.now() - requestedAt < creationTimeoutMs) return saveLater(message.id);
  if (message.text.trim() === "") {
    if (draftId !== undefined) await deleteDraft(draftId);
    setDraft(message.id, undefined);
    return;
  }
  if (draftId !== undefined && (await replaceDraft(draftId, message)))
    return void setDraft(message.id, { id: draftId, content });
  // Stored before the request, so that a page whose reply is lost finds the draft by its content.
  if (!setDraft(message.id, { content, requestedAt: Date.now() })) return;
  const { ids } = await call("POST /drafts", { drafts: [fieldsOf(message)] });
  if (!setDraft(message.id, { id: ids[0], content }) && ids[0] !== undefined) await deleteDraft(ids[0]);
}

/** The draft on the server that an earlier request created, if its reply was lost. */
function createdDraft({ draft }: UnsentMessage): Draft | undefined {
  if (draft?.requestedAt === undefined) return undefined;
  return untracked(unknownDrafts).find((other) => contentOfDraft(other) === draft.content);
}

/** Returns false if the draft does not exist any more. */
const replaceDraft = (id: number, message: Written): Promise<boolean> =>
  call("PATCH /drafts/{draft_id}", { draft_id: id, draft: fieldsOf(message) }).then(() => true, ignoreMissing(false));

export const deleteDraft = (id: number): Promise<unknown> =>
  call("DELETE /drafts/{draft_id}", { draft_id: id }).catch(ignoreMissing(undefined));

const ignoreMissing =
  <T>(result: T) =>
  (error: unknown): T => {
    if (error instanceof ApiFailure && error.status === 404) return result;
    throw error;
  };

/** Changes a message as it is now, after a request. Returns false if it is gone. */
function setDraft(id: string, draft: UnsentMessage["draft"]): boolean {
  const message = findUnsent(id);
  if (message) putUnsent({ ...message, draft });
  return message !== undefined;
}

const isEnabled = () => settings.peek()?.enable_drafts_synchronization === true && state.peek() !== undefined;

/** Saves all drafts now. */
export const saveDrafts = (): Promise<unknown> =>
  Promise.all([...writing.peek().values()].filter(isUnsaved).map(({ id }) => save(id)));

onSession((session) => {
  session.effect(() => {
    if (connection.value !== "live" || !settings.value?.enable_drafts_synchronization) return;
    const unsaved = [...writing.value.values()].filter(isUnsaved);
    untracked(() => {
      for (const { id } of unsaved) saveLater(id);
    });
  });

  // A draft that was deleted elsewhere does not return before its text changes.
  onEvents((events) => {
    for (const event of events) {
      if (event.type !== "drafts" || event.op !== "remove") continue;
      const message = [...writing.peek().values()].find(({ draft }) => draft?.id === event.draft_id);
      if (message?.text.trim()) setDraft(message.id, { content: draftContent(message) });
    }
  });
});

/**
 * Addresses what is being written to `from` to another conversation, as when a topic has moved there; `except` is the ID of a
 * message that stays.
 */
export function readdressWriting(from: Conversation, to: Conversation, except?: string): void {
  for (const { id } of writing.peek().values()) {
    const message = id === except ? undefined : refreshUnsent(id);
    if (message && !message.sending && isSameRecipient(message.recipient, from))
      putUnsent({ ...message, recipient: to });
  }
  if (!isEnabled()) return;
  for (const draft of untracked(otherDrafts))
    if (isSameRecipient(recipientOfDraft(draft), from)) {
      const message = { recipient: to, text: draft.content, changedAt: draft.timestamp * 1000 };
      // Another browser may do the same. After a failure, the draft stays in the former conversation.
      void replaceDraft(draft.id, message).catch(() => {});
    }
}

/** The message to go on writing to a recipient, the newest first: from this browser, or else a draft of the server. */
export function findWriting(recipient: Recipient): UnsentMessage | undefined {
  const [newest] = [...writing.peek().values()]
    .filter((message) => message.text.trim() !== "" && isSameRecipient(message.recipient, recipient))
    .sort((a, b) => b.changedAt - a.changedAt);
  if (newest) return newest;
  const draft = untracked(otherDrafts).find((other) => isSameRecipient(recipientOfDraft(other), recipient));
  return draft && adoptDraft(draft);
}
