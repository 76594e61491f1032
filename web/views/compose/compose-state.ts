import { signal } from "@preact/signals";
import { type Conversation, conversationKey } from "../../state/model.ts";

/** The message being composed and its destination. */

export interface Writing {
  conversation: Conversation;
  text: string;
  /** The ID of its draft. */
  draftId?: number;
}

const writing = signal<Writing | undefined>(undefined);
/** Unsent messages of other conversations in this window. */
const left = new Map<string, Writing>();
/** Increases to make the compose field take the focus. */
const focusRequests = signal(0);

export const compose = {
  writing,
  focusRequests,
  open(conversation: Conversation, more: Partial<Pick<Writing, "text" | "draftId">> = {}) {
    const kept = left.get(conversationKey(conversation));
    const current = writing.value;
    const isSame = current && conversationKey(current.conversation) === conversationKey(conversation);
    const before = isSame ? current : kept;
    writing.value = { ...before, conversation, text: before?.text ?? "", ...more };
    focusRequests.value++;
  },
  /** Switches to the conversation of the page, keeping the unsent message of each. */
  follow(conversation: Conversation | undefined) {
    const current = writing.value;
    if (current && conversation && conversationKey(current.conversation) === conversationKey(conversation)) return;
    if (current) left.set(conversationKey(current.conversation), current);
    if (!conversation) {
      writing.value = undefined;
      return;
    }
    writing.value = left.get(conversationKey(conversation)) ?? { conversation, text: "" };
  },
  change(more: Partial<Writing>) {
    if (writing.value) writing.value = { ...writing.value, ...more };
  },
  insert(text: string) {
    const current = writing.value;
    if (!current) return;
    const gap = current.text === "" || current.text.endsWith("\n") ? "" : "\n";
    writing.value = { ...current, text: `${current.text}${gap}${text}` };
    focusRequests.value++;
  },
  sent() {
    const current = writing.value;
    if (!current) return;
    left.delete(conversationKey(current.conversation));
    writing.value = { conversation: current.conversation, text: "" };
  },
  close() {
    const current = writing.value;
    if (current?.text.trim()) left.set(conversationKey(current.conversation), current);
    writing.value = undefined;
  },
};
