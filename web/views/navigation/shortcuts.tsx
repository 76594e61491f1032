import { signal } from "@preact/signals";
import { setFlag, toggleReaction } from "../../actions.ts";
import { currentState } from "../../session.ts";
import { conversationOf, directConversation, type Message, topicKey, visibilityPolicies } from "../../state/model.ts";
import { conversationIn } from "../../state/narrow.ts";
import { toast, tryTo, undoNewest } from "../../toasts.ts";
import { compose } from "../compose/compose-state.ts";
import { beginEdit, editLastOwn } from "../messages/edit-message.tsx";
import { markUnreadFrom, quote } from "../messages/message.tsx";
import { type MessagePart, moveSelection, openPart, rowOf, selectedId } from "../messages/selection.ts";
import { Dialog } from "../parts/parts.tsx";
import { changeTopicPolicy } from "../undoable.ts";
import { directConversations, sortedSubscriptions } from "./lists.ts";
import { go, goToNarrow, home, route } from "./router.ts";

/** Zulip's keyboard shortcuts; `?` lists them. */

export const helpOpen = signal(false);
export const openHelp = () => {
  helpOpen.value = true;
};
const closeHelp = () => {
  helpOpen.value = false;
};

interface Shortcut {
  keys: readonly string[];
  description: string;
  run: () => void;
}

const selectedMessage = (): Message | undefined => currentState().messages.get(selectedId.value ?? -1);
/** A shortcut's action on the selected message, if there is one. */
const withMessage = (run: (message: Message) => void) => () => {
  const message = selectedMessage();
  if (message) run(message);
};
const openMenu = () => {
  rowOf(selectedId.value ?? -1)
    ?.querySelector<HTMLElement>('[aria-haspopup="menu"]')
    ?.click();
};
/** A shortcut's action that opens a part of the selected message. */
const openPartOfSelected = (part: MessagePart) =>
  withMessage(({ id }) => {
    openPart.value = { id, part };
  });

/** Edits the selected message, or the newest one of the user if none is selected. */
function edit(): void {
  const message = selectedMessage();
  if (!message) editLastOwn();
  else if (message.sender_id === currentState().userId) void beginEdit(message.id);
  else toast("Somebody else wrote this message.");
}

/** Mutes the topic of the selected message or of the view, or unmutes it. */
function toggleTopicMuted(): void {
  const view = route.value;
  const message = selectedMessage();
  const shown = view.kind === "narrow" ? conversationIn(view.narrow) : undefined;
  const conversation = message ? conversationOf(message, currentState().userId) : shown;
  if (conversation?.kind !== "topic") return;
  const { channelId, topic } = conversation;
  const { muted, inherited } = visibilityPolicies;
  const isMuted = currentState().topicPolicies.get(topicKey(channelId, topic)) === muted;
  void changeTopicPolicy(channelId, topic, isMuted ? inherited : muted);
}

/** Opens the newest direct conversation with unread messages, or the first other topic with unread ones. */
function goToNextUnread(direct: boolean): void {
  const current = currentState();
  if (direct) {
    const next = directConversations(current).find(({ unread }) => unread > 0);
    if (next) goToNarrow(next.conversation);
    return;
  }
  const view = route.value;
  const topics = sortedSubscriptions(current).flatMap((channel) => channel.topics.filter(({ muted }) => !muted));
  const next = topics.find(
    ({ conversation }) =>
      !(
        view.kind === "narrow" &&
        view.narrow.kind === "topic" &&
        view.narrow.channelId === conversation.channelId &&
        view.narrow.topic === conversation.topic
      ),
  );
  if (next) goToNarrow(next.conversation);
}

/** Opens the compose box for the conversation of the selected message, or else for the one that the page shows. */
function reply(): void {
  const view = route.value;
  const message = selectedMessage();
  if (message) compose.open(conversationOf(message, currentState().userId));
  else if (view.kind === "narrow" && (view.narrow.kind === "topic" || view.narrow.kind === "direct"))
    compose.open(view.narrow);
}

const shortcuts: readonly Shortcut[] = [
  { keys: ["?"], description: "Show these keys", run: () => openHelp() },
  { keys: ["/"], description: "Search", run: () => document.getElementById("search")?.focus() },
  { keys: ["q"], description: "Filter channels", run: () => document.getElementById("sidebar-filter")?.focus() },
  { keys: ["j", "ArrowDown"], description: "Next message", run: () => moveSelection(1) },
  { keys: ["k", "ArrowUp"], description: "Message before", run: () => moveSelection(-1) },
  { keys: ["n"], description: "Next unread topic", run: () => goToNextUnread(false) },
  { keys: ["p"], description: "Next unread direct conversation", run: () => goToNextUnread(true) },
  { keys: ["r", "Enter"], description: "Reply", run: reply },
  { keys: [">"], description: "Quote and reply", run: withMessage((message) => void tryTo(() => quote(message))) },
  {
    keys: ["R"],
    description: "Write directly to the sender",
    run: withMessage((message) => compose.open(directConversation([message.sender_id], currentState().userId))),
  },
  {
    keys: ["c"],
    description: "New message",
    run: () => {
      const view = route.value;
      if (view.kind === "narrow" && (view.narrow.kind === "channel" || view.narrow.kind === "topic"))
        compose.open({ kind: "topic", channelId: view.narrow.channelId, topic: "" });
      else compose.open();
    },
  },
  { keys: ["x"], description: "New direct message", run: () => compose.open({ kind: "direct", userIds: [] }) },
  {
    keys: ["+"],
    description: "React with 👍",
    run: withMessage(
      (message) =>
        void tryTo(() =>
          toggleReaction(message, { emoji_name: "+1", emoji_code: "1f44d", reaction_type: "unicode_emoji" }),
        ),
    ),
  },
  { keys: [":"], description: "Choose a reaction", run: openPartOfSelected("picker") },
  {
    keys: ["*"],
    description: "Star, or remove the star",
    run: withMessage(
      (message) =>
        void tryTo(() => setFlag([message.id], "starred", currentState().starred.has(message.id) ? "remove" : "add")),
    ),
  },
  { keys: ["i"], description: "What to do with a message", run: openMenu },
  { keys: ["e"], description: "Edit the message, or your last one", run: edit },
  {
    keys: ["m"],
    description: "Move the message or its topic",
    run: withMessage(({ id, stream_id }) => {
      if (stream_id !== undefined) openPart.value = { id, part: "move" };
    }),
  },
  { keys: ["M"], description: "Mute the topic, or unmute it", run: toggleTopicMuted },
  {
    keys: ["U"],
    description: "Mark as unread from here",
    run: withMessage((message) => void tryTo(() => markUnreadFrom(message))),
  },
  {
    keys: ["s"],
    description: "Narrow to the topic or conversation",
    run: withMessage((message) => goToNarrow(conversationOf(message, currentState().userId), message.id)),
  },
  {
    keys: ["S"],
    description: "Widen to the channel",
    run: withMessage((message) => {
      if (message.stream_id !== undefined) goToNarrow({ kind: "channel", channelId: message.stream_id }, message.id);
    }),
  },
  { keys: ["I"], description: "Inbox", run: () => go({ kind: "inbox" }) },
  { keys: ["t"], description: "Recent conversations", run: () => go({ kind: "recent" }) },
  { keys: ["a"], description: "Combined feed", run: () => goToNarrow({ kind: "feed" }) },
  { keys: ["P"], description: "Direct messages", run: () => goToNarrow({ kind: "directs" }) },
  { keys: ["d"], description: "Drafts", run: () => go({ kind: "drafts" }) },
  { keys: ["g"], description: "Settings", run: () => go({ kind: "settings", section: "profile" }) },
  { keys: ["Escape"], description: "Back to the first view", run: () => go(home.peek()) },
];

const byKey = new Map(shortcuts.flatMap((shortcut) => shortcut.keys.map((key) => [key, shortcut] as const)));

export function onShortcut(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.altKey) return;
  const target = event.target as HTMLElement;
  if (target.closest("input, textarea, select, [contenteditable], [role=menu], .emoji-picker")) return;
  if (event.ctrlKey || event.metaKey) {
    if (event.key === "z" && undoNewest()) event.preventDefault();
    return;
  }
  // While a dialog is open, only its own keys apply: Escape closes it.
  if (document.querySelector("dialog[open]")) return;
  // A focused button or link handles Enter and Space itself.
  if (event.key === "Enter" && target.closest("a, button")) return;
  const shortcut = byKey.get(event.key);
  if (!shortcut) return;
  event.preventDefault();
  shortcut.run();
}

const keyName: Record<string, string> = { ArrowDown: "↓", ArrowUp: "↑", Escape: "Esc" };

export function ShortcutHelp() {
  if (!helpOpen.value) return null;
  return (
    <Dialog title="Keys" onClose={closeHelp} wide>
      <table class="keys">
        <tbody>
          {shortcuts.map(({ keys, description }) => (
            <tr key={description}>
              <th scope="row">
                {keys.map((key) => (
                  <kbd key={key}>{keyName[key] ?? key}</kbd>
                ))}
              </th>
              <td>{description}</td>
            </tr>
          ))}
          <tr>
            <th scope="row">
              <kbd>Ctrl</kbd>
              <kbd>Enter</kbd>
            </th>
            <td>Send, or save an edit</td>
          </tr>
          <tr>
            <th scope="row">
              <kbd>↑</kbd>
            </th>
            <td>In an empty box: edit your last message</td>
          </tr>
          <tr>
            <th scope="row">
              <kbd>Ctrl</kbd>
              <kbd>Z</kbd>
            </th>
            <td>Undo what a notice offers to undo</td>
          </tr>
        </tbody>
      </table>
    </Dialog>
  );
}
