import { untracked } from "@preact/signals";
import { ApiFailure, isInvalidKeyError } from "../../base/api/client.ts";
import { t } from "../../base/languages/language.ts";
import { conversationKey } from "../../state/model.ts";
import type { Narrow } from "../../state/narrow.ts";
import { conversationFor, fits } from "../../state/recipient.ts";
import { targetFields } from "../actions/change-messages.ts";
import { connection } from "../events.ts";
import { call, later, onSession, perSession, sessionSignal } from "../session.ts";
import { currentState, onEvents, registrations, slice, state } from "../store.ts";
import { withLock } from "./lock.ts";
import {
  account,
  findUnsent,
  newId,
  outgoing,
  putUnsent,
  refreshUnsent,
  removeUnsent,
  type UnsentMessage,
} from "./unsent-messages.ts";

/**
 * Sends messages in the order in which the user sent them, and repeats the attempt until the server has replied. The server
 * recognizes a repeated request by the event queue and the local ID of the first one, so no message is sent twice.
 */

/** A message that the server has accepted, shown until its event arrives. */
interface Accepted extends UnsentMessage {
  messageId?: number | undefined;
}

export const accepted = sessionSignal<readonly Accepted[]>([]);
/** Whether the last attempt got no reply, so that the messages wait for the next one. */
export const isWaiting = sessionSignal(false);

const attemptTimeoutMs = 30_000;
const maxRetryDelayMs = 30_000;
/** How long an accepted message is shown if its event does not arrive. */
const eventWaitMs = 15_000;
/** The server recognizes a repeated request for a day. An older message may have been sent already. */
const maxAgeMs = 20 * 60 * 60 * 1000;

/** Sends a message that is being written. It is stored as sent before the request is made. */
export function send(message: UnsentMessage): void {
  const { queueId } = currentState();
  putUnsent({ ...message, text: message.text.trim(), sending: { queueId, sentAt: Date.now() } });
  void deliver();
}

/** Tries again to send a message that the server has refused, or one that waits. */
export function retry(message: UnsentMessage): void {
  const { sending } = message;
  if (!sending) return;
  if (sending.failure !== undefined)
    putUnsent({ ...message, sending: { queueId: sending.queueId, sentAt: Date.now() } });
  wake();
  void deliver();
}

/** Gives a message that was not sent back to the user, who goes on writing it. */
export function takeBack(message: UnsentMessage): UnsentMessage {
  const { sending: _, ...rest } = message;
  const writable = { ...rest, id: newId(), changedAt: Date.now() };
  putUnsent(writable);
  removeUnsent(message.id);
  return writable;
}

/** Discards a message, and its draft on the server. */
export function discard(id: string): void {
  const message = findUnsent(id);
  if (!message) return;
  const { sending: _, ...rest } = message;
  putUnsent({ ...rest, text: "", changedAt: Date.now() });
}

const knownMessages = slice(({ messages }) => messages);
/** Always the same list, so that a view is not rendered again. */
const none: readonly UnsentMessage[] = [];

/** The messages to show below a view's messages: those of its conversations. */
export function outgoingIn(narrow: Narrow): readonly UnsentMessage[] {
  const known = knownMessages.value;
  const waiting = outgoing.value;
  const isWaitingStill = new Set(waiting.map(({ id }) => id));
  const arriving = accepted.value.filter(
    ({ id, messageId }) => !isWaitingStill.has(id) && !(messageId !== undefined && known?.has(messageId)),
  );
  const shown = [...arriving, ...waiting].filter(({ recipient }) => {
    if (recipient.kind === "unchosen") return false;
    switch (narrow.kind) {
      case "feed":
        return true;
      case "directs":
        return recipient.kind === "direct";
      case "channel":
        return recipient.kind === "topic" && recipient.channelId === narrow.channelId;
      case "topic":
      case "direct":
        return conversationKey(recipient) === conversationKey(narrow);
      default:
        return false;
    }
  });
  return shown.length > 0 ? shown : none;
}

const delivery = perSession(() => ({
  isRunning: false,
  /** Ends the pause before the next attempt. */
  wake: () => {},
}));
const wake = () => delivery().wake();

/** Sends all outgoing messages one after the other. */
async function deliver(): Promise<void> {
  const running = delivery();
  if (running.isRunning) return;
  running.isRunning = true;
  try {
    for (let failures = 0; ; ) {
      const next = outgoing.peek().find(({ sending }) => sending?.failure === undefined);
      if (!next || running !== delivery() || state.peek() === undefined) break;
      const outcome = await withLock(`send-${account.peek()}-${next.id}`, () => attempt(next.id));
      if (outcome === "ended" || running !== delivery()) break;
      failures = outcome === undefined ? 0 : failures + 1;
      isWaiting.value = failures > 0;
      if (outcome !== undefined) await pause(Math.max(outcome, Math.min(maxRetryDelayMs, 500 * 2 ** failures)));
    }
  } finally {
    running.isRunning = false;
    if (running === delivery()) isWaiting.value = false;
  }
}

const pause = (ms: number) =>
  new Promise<void>((resolve) => {
    const cancel = later(resolve, ms);
    delivery().wake = () => {
      cancel();
      resolve();
    };
  });

/**
 * Tries once to send a message. Returns undefined if its fate is known, the minimum delay before the next attempt in
 * milliseconds if it is not, or "ended" if the session has ended.
 */
async function attempt(id: string): Promise<number | undefined | "ended"> {
  const message = refreshUnsent(id);
  if (!message?.sending || message.sending.failure !== undefined) return undefined;
  const { queueId, sentAt } = message.sending;
  const current = state.peek();
  if (!current) return "ended";
  const conversation = conversationFor(message.recipient, current);
  if (!conversation) return fail(message, "no-recipient");
  if (!fits(current, conversation, message.text)) return fail(message, "too-long");
  if (Date.now() - sentAt > maxAgeMs) return fail(message, "too-old");
  try {
    const { id: messageId } = await call(
      "POST /messages",
      {
        ...targetFields(conversation),
        content: message.text,
        queue_id: queueId,
        local_id: id,
        read_by_sender: true,
      },
      { signal: AbortSignal.timeout(attemptTimeoutMs) },
    );
    accept(id, messageId);
    return undefined;
  } catch (error) {
    if (isInvalidKeyError(error)) return "ended";
    const isRefusal = error instanceof ApiFailure && error.status >= 400 && error.status < 500 && error.status !== 429;
    if (!isRefusal) return error instanceof ApiFailure ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
    return fail(message, error.message);
  }
}

/** What the page itself says of messages that were not sent. They keep only the name, so that the text is in the current language. */
const ownFailures = {
  "no-recipient": () => t("It has no recipient."),
  "too-long": () => t("The message is too long."),
  "too-old": () => t("This may or may not have been sent over a day ago. Check before resending."),
};

/** Why a message was not sent: one of the page's own reasons, or the server's. */
export const explainFailure = (failure: string): string =>
  Object.hasOwn(ownFailures, failure) ? ownFailures[failure as keyof typeof ownFailures]() : failure;

/** Marks a message as not sent. */
function fail({ id }: UnsentMessage, failure: string): undefined {
  const message = findUnsent(id);
  if (message?.sending) putUnsent({ ...message, sending: { ...message.sending, failure } });
}

/** Removes a message that the server has accepted. Its draft is deleted by `draft-sync.ts`. */
function accept(id: string, messageId?: number): void {
  const message = findUnsent(id);
  if (!message?.sending) return;
  accepted.value = [...accepted.value, { ...message, messageId }];
  later(() => arrived(id), eventWaitMs);
  const { sending: _, ...rest } = message;
  if (message.draft) putUnsent({ ...rest, text: "", changedAt: Date.now() });
  else removeUnsent(id);
}

const arrived = (id: string) => {
  accepted.value = accepted.value.filter((message) => message.id !== id);
};

// Retries at once when the connection is back, and after a reload.
onSession((session) => {
  session.effect(() => {
    void [registrations.value, account.value];
    if (connection.value !== "live") return;
    untracked(() => {
      wake();
      void deliver();
    });
  });
  addEventListener("online", wake, { signal: session.end });

  onEvents((events) => {
    for (const event of events) {
      if (event.type !== "message") continue;
      const localId: string | undefined = event.local_message_id;
      const own = accepted.peek().find(({ id, messageId }) => id === localId || messageId === event.message.id);
      if (own) arrived(own.id);
      // The event may arrive before the reply, or instead of it.
      else if (localId !== undefined && findUnsent(localId)?.sending) {
        accept(localId, event.message.id);
        arrived(localId);
      }
    }
  });
});
