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
    const now = writing.value;
    const isSame = now && conversationKey(now.conversation) === conversationKey(conversation);
    const before = isSame ? now : kept;
    writing.value = { ...before, conversation, text: before?.text ?? "", ...more };
    focusRequests.value++;
  },
  /** Switches to the conversation of the page, keeping the unsent message of each. */
  follow(conversation: Conversation | undefined) {
    const now = writing.value;
    if (now && conversation && conversationKey(now.conversation) === conversationKey(conversation)) return;
    if (now) left.set(conversationKey(now.conversation), now);
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
    const now = writing.value;
    if (!now) return;
    const gap = now.text === "" || now.text.endsWith("\n") ? "" : "\n";
    writing.value = { ...now, text: `${now.text}${gap}${text}` };
    focusRequests.value++;
  },
  sent() {
    const now = writing.value;
    if (!now) return;
    left.delete(conversationKey(now.conversation));
    writing.value = { conversation: now.conversation, text: "" };
  },
  close() {
    const now = writing.value;
    if (now?.text.trim()) left.set(conversationKey(now.conversation), now);
    writing.value = undefined;
  },
};
