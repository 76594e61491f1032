import { signal } from "@preact/signals";
import { type Conversation, conversationKey } from "../../state/model.ts";

/** The message being composed and its destination. */

export interface ComposedMessage {
  conversation: Conversation;
  text: string;
  /** The ID of its draft. */
  draftId?: number | undefined;
}

const message = signal<ComposedMessage | undefined>(undefined);
/** Unsent messages of other conversations in this window, by `conversationKey`. */
const otherMessages = new Map<string, ComposedMessage>();
/** Increases to make the compose field take the focus. */
const focusRequests = signal(0);

export const compose = {
  message,
  focusRequests,
  /** Opens the compose box for a conversation, with the unsent message to it, if any. */
  open(conversation: Conversation, changes: Partial<Pick<ComposedMessage, "text" | "draftId">> = {}) {
    const kept = otherMessages.get(conversationKey(conversation));
    const current = message.value;
    const isCurrent = current && conversationKey(current.conversation) === conversationKey(conversation);
    const previous = isCurrent ? current : kept;
    message.value = { ...previous, conversation, text: previous?.text ?? "", ...changes };
    focusRequests.value++;
  },
  /** Switches to the conversation that the page shows, and keeps the unsent message to the previous one. */
  switchTo(conversation: Conversation | undefined) {
    const current = message.value;
    if (current && conversation && conversationKey(current.conversation) === conversationKey(conversation)) return;
    if (current) otherMessages.set(conversationKey(current.conversation), current);
    if (!conversation) {
      message.value = undefined;
      return;
    }
    message.value = otherMessages.get(conversationKey(conversation)) ?? { conversation, text: "" };
  },
  change(changes: Partial<ComposedMessage>) {
    if (message.value) message.value = { ...message.value, ...changes };
  },
  /** Appends a text on a new line. */
  insert(text: string) {
    const current = message.value;
    if (!current) return;
    const separator = current.text === "" || current.text.endsWith("\n") ? "" : "\n";
    message.value = { ...current, text: `${current.text}${separator}${text}` };
    focusRequests.value++;
  },
  /** Clears the text after the message was sent or scheduled. */
  clear() {
    const current = message.value;
    if (!current) return;
    otherMessages.delete(conversationKey(current.conversation));
    message.value = { conversation: current.conversation, text: "" };
  },
  /** Closes the compose box; the unsent message is kept. */
  close() {
    const current = message.value;
    if (current?.text.trim()) otherMessages.set(conversationKey(current.conversation), current);
    message.value = undefined;
  },
};
