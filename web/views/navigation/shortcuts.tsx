import { signal } from "@preact/signals";
import { setFlag, toggleReaction, tryTo } from "../../actions.ts";
import { currentState } from "../../session.ts";
import { conversationOf, directConversation, type Message } from "../../state/model.ts";
import { compose } from "../compose/compose-state.ts";
import { markUnreadFrom, quote } from "../messages/message.tsx";
import { moveSelection, rowOf, selected } from "../messages/selection.ts";
import { Dialog } from "../parts/parts.tsx";
import { directConversations, sortedSubscriptions } from "./lists.ts";
import { go, goToNarrow, route } from "./router.ts";

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
  what: string;
  run: () => void;
}

const message = (): Message | undefined => currentState().messages.get(selected.value ?? -1);
const withMessage = (run: (message: Message) => void) => () => {
  const chosen = message();
  if (chosen) run(chosen);
};
const press = (label: string) => {
  rowOf(selected.value ?? -1)
    ?.querySelector<HTMLElement>(`[aria-label="${label}"]`)
    ?.click();
};

/** The next conversation with unread messages. */
function nextUnread(direct: boolean): void {
  const current = currentState();
  if (direct) {
    const next = directConversations(current).find(({ unread }) => unread > 0);
    if (next) goToNarrow(next.conversation);
    return;
  }
  const at = route.value;
  const topics = sortedSubscriptions(current).flatMap((channel) => channel.topics.filter(({ muted }) => !muted));
  const next = topics.find(
    ({ conversation }) =>
      !(
        at.kind === "narrow" &&
        at.narrow.kind === "topic" &&
        at.narrow.channelId === conversation.channelId &&
        at.narrow.topic === conversation.topic
      ),
  );
  if (next) goToNarrow(next.conversation);
}

/** The conversation that the page shows or the selected message is in. */
function reply(): void {
  const at = route.value;
  const chosen = message();
  if (chosen) compose.open(conversationOf(chosen, currentState().userId));
  else if (at.kind === "narrow" && (at.narrow.kind === "topic" || at.narrow.kind === "direct")) compose.open(at.narrow);
}

const shortcuts: readonly Shortcut[] = [
  { keys: ["?"], what: "Show these keys", run: () => openHelp() },
  { keys: ["/"], what: "Search", run: () => document.getElementById("search")?.focus() },
  { keys: ["q"], what: "Filter channels", run: () => document.getElementById("sidebar-filter")?.focus() },
  { keys: ["j", "ArrowDown"], what: "Next message", run: () => moveSelection(1) },
  { keys: ["k", "ArrowUp"], what: "Message before", run: () => moveSelection(-1) },
  { keys: ["n"], what: "Next unread topic", run: () => nextUnread(false) },
  { keys: ["p"], what: "Next unread direct conversation", run: () => nextUnread(true) },
  { keys: ["r", "Enter"], what: "Reply", run: reply },
  { keys: [">"], what: "Quote and reply", run: withMessage((chosen) => void tryTo(() => quote(chosen))) },
  {
    keys: ["R"],
    what: "Write directly to the sender",
    run: withMessage((chosen) => compose.open(directConversation([chosen.sender_id], currentState().userId))),
  },
  {
    keys: ["c"],
    what: "New message",
    run: () => {
      const [first] = sortedSubscriptions(currentState());
      const at = route.value;
      const channelId =
        at.kind === "narrow" && (at.narrow.kind === "channel" || at.narrow.kind === "topic")
          ? at.narrow.channelId
          : first?.channel.stream_id;
      if (channelId !== undefined) compose.open({ kind: "topic", channelId, topic: "" });
    },
  },
  { keys: ["x"], what: "New direct message", run: () => compose.open({ kind: "direct", userIds: [] }) },
  {
    keys: ["+"],
    what: "React with 👍",
    run: withMessage(
      (chosen) =>
        void tryTo(() =>
          toggleReaction(chosen, { emoji_name: "+1", emoji_code: "1f44d", reaction_type: "unicode_emoji" }),
        ),
    ),
  },
  { keys: [":"], what: "Choose a reaction", run: () => press("React") },
  {
    keys: ["*"],
    what: "Star, or remove the star",
    run: withMessage(
      (chosen) =>
        void tryTo(() => setFlag([chosen.id], "starred", currentState().starred.has(chosen.id) ? "remove" : "add")),
    ),
  },
  { keys: ["i"], what: "What to do with a message", run: () => press("More") },
  {
    keys: ["U"],
    what: "Mark as unread from here",
    run: withMessage((chosen) => void tryTo(() => markUnreadFrom(chosen))),
  },
  {
    keys: ["s"],
    what: "Narrow to the topic or conversation",
    run: withMessage((chosen) => goToNarrow(conversationOf(chosen, currentState().userId), chosen.id)),
  },
  {
    keys: ["S"],
    what: "Widen to the channel",
    run: withMessage((chosen) => {
      if (chosen.stream_id !== undefined) goToNarrow({ kind: "channel", channelId: chosen.stream_id }, chosen.id);
    }),
  },
  { keys: ["I"], what: "Inbox", run: () => go({ kind: "inbox" }) },
  { keys: ["t"], what: "Recent conversations", run: () => go({ kind: "recent" }) },
  { keys: ["a"], what: "Combined feed", run: () => goToNarrow({ kind: "feed" }) },
  { keys: ["P"], what: "Direct messages", run: () => goToNarrow({ kind: "directs" }) },
  { keys: ["d"], what: "Drafts", run: () => go({ kind: "drafts" }) },
  { keys: ["g"], what: "Settings", run: () => go({ kind: "settings", section: "profile" }) },
  { keys: ["Escape"], what: "Back to the first view", run: () => go({ kind: "inbox" }) },
];

const byKey = new Map(shortcuts.flatMap((shortcut) => shortcut.keys.map((key) => [key, shortcut] as const)));

export function onShortcut(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  const target = event.target as HTMLElement;
  if (target.closest("input, textarea, select, [contenteditable], [role=menu], .emoji-picker")) return;
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
          {shortcuts.map(({ keys, what }) => (
            <tr key={what}>
              <th scope="row">
                {keys.map((key) => (
                  <kbd key={key}>{keyName[key] ?? key}</kbd>
                ))}
              </th>
              <td>{what}</td>
            </tr>
          ))}
          <tr>
            <th scope="row">
              <kbd>Ctrl</kbd>
              <kbd>Enter</kbd>
            </th>
            <td>Send, or save an edit</td>
          </tr>
        </tbody>
      </table>
    </Dialog>
  );
}
