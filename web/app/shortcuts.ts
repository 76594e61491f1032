import { computed } from "@preact/signals";
import { t } from "../base/languages/language.ts";
import { paletteOpen, togglePalette } from "../navigation/palette-open.ts";
import { go, goToNarrow, home, route } from "../navigation/router.ts";
import {
  keptUnread,
  moveSelection,
  onScreen,
  openPicker,
  rowOf,
  scrollRequest,
  selectedId,
} from "../navigation/selection.ts";
import { setFlag, toggleReaction } from "../session/actions/change-messages.ts";
import { sessionSignal } from "../session/session.ts";
import { currentState, openNarrows } from "../session/store.ts";
import { toast, tryTo, undoNewest } from "../session/toasts.ts";
import {
  type Conversation,
  conversationOf,
  directConversation,
  type Message,
  topicKey,
  visibilityPolicies,
} from "../state/model.ts";
import { conversationIn, marksAsRead, type Narrow, narrowKey } from "../state/narrow.ts";
import { unreadIdsIn } from "../state/unread.ts";
import { compose } from "../views/compose/compose-state.ts";
import { beginEdit, editLastOwn } from "../views/compose/edit-message.tsx";
import { listedChannels } from "../views/conversations/channel-groups.ts";
import { directConversations } from "../views/conversations/channel-lists.ts";
import { changeTopicPolicy } from "../views/conversations/undoable.ts";
import { markUnreadFrom, moveMessage, quote } from "../views/messages/message.tsx";

/** Zulip's keyboard shortcuts; `?` lists them. */

export const helpOpen = sessionSignal(false);
export const openHelp = () => {
  helpOpen.value = true;
};
export const closeHelp = () => {
  helpOpen.value = false;
};

export interface Shortcut {
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
/** Edits the selected message, or the newest one of the user if none is selected. */
function edit(): void {
  const message = selectedMessage();
  if (!message) editLastOwn();
  else if (message.sender_id === currentState().userId) void beginEdit(message.id);
  else toast(t("Someone else wrote this message."));
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

/** The next unread message of the open conversation that is not on the screen: below it, else above. */
function nextUnreadHere(narrow: Narrow): number | undefined {
  const conversation = conversationIn(narrow);
  const visible = onScreen.peek();
  if (!conversation || !visible) return undefined;
  const { unread, settings } = currentState();
  const ids = unreadIdsIn(unread, conversation).filter((id) => !keptUnread().has(id));
  const below = ids.find((id) => id > visible.last);
  // Where messages stay unread, one would be led up and down for ever.
  const mayGoUp = marksAsRead(narrow, settings.web_mark_read_on_scroll_policy);
  return below ?? (mayGoUp ? ids.find((id) => id < visible.first) : undefined);
}

/** The unread topics in the order of the sidebar, beginning with those of the open channel. */
function unreadTopics(narrow: Narrow | undefined): Conversation[] {
  const channels = listedChannels.peek();
  const channelId = narrow?.kind === "topic" || narrow?.kind === "channel" ? narrow.channelId : undefined;
  const start = Math.max(
    0,
    channels.findIndex(({ channel }) => channel.stream_id === channelId),
  );
  return [...channels.slice(start), ...channels.slice(0, start)].flatMap(({ topics }) =>
    topics.filter(({ muted }) => !muted).map(({ conversation }) => conversation),
  );
}

/**
 * Goes to the next unread messages: of the open conversation while it has any, then of the next one. Of direct conversations, the
 * newest comes first; they also follow when no topic is left.
 */
function goToNextUnread(direct: boolean): void {
  const view = route.value;
  const narrow = view.kind === "narrow" ? view.narrow : undefined;
  const here = narrow && (!direct || narrow.kind === "direct") ? nextUnreadHere(narrow) : undefined;
  if (here !== undefined) {
    scrollRequest.value = here;
    return;
  }
  const directs = directConversations(currentState())
    .filter(({ unread }) => unread > 0)
    .map(({ conversation }) => conversation);
  const conversations: readonly Conversation[] = direct ? directs : [...unreadTopics(narrow), ...directs];
  const next = conversations.find((conversation) => !narrow || narrowKey(conversation) !== narrowKey(narrow));
  if (next) goToNarrow(next);
  else toast(direct ? t("No unread direct messages.") : t("You have read everything."));
}

const goToEnd = () => {
  if (openNarrows.peek().length > 0) scrollRequest.value = "end";
};

/** Opens the compose box for the conversation of the selected message, or else for the one that the page shows. */
function reply(): void {
  const view = route.value;
  const message = selectedMessage();
  if (message) compose.open(conversationOf(message, currentState().userId));
  else if (view.kind === "narrow" && (view.narrow.kind === "topic" || view.narrow.kind === "direct"))
    compose.open(view.narrow);
}

/** What keys do, in the order in which they are listed. */
export const shortcuts = computed((): readonly Shortcut[] => [
  { keys: ["?"], description: t("Show these keys"), run: () => openHelp() },
  { keys: ["/"], description: t("Search"), run: () => document.getElementById("search")?.focus() },
  { keys: ["q"], description: t("Filter channels"), run: () => document.getElementById("sidebar-filter")?.focus() },
  { keys: ["j", "ArrowDown"], description: t("Next message"), run: () => moveSelection(1) },
  { keys: ["k", "ArrowUp"], description: t("Previous message"), run: () => moveSelection(-1) },
  { keys: ["G", "End"], description: t("Newest message"), run: goToEnd },
  { keys: ["n"], description: t("Next unread messages"), run: () => goToNextUnread(false) },
  { keys: ["p"], description: t("Next unread direct messages"), run: () => goToNextUnread(true) },
  { keys: ["r", "Enter"], description: t("Reply"), run: reply },
  { keys: [">"], description: t("Quote and reply"), run: withMessage((message) => void tryTo(() => quote(message))) },
  {
    keys: ["R"],
    description: t("Write directly to the sender"),
    run: withMessage((message) => compose.open(directConversation([message.sender_id], currentState().userId))),
  },
  {
    keys: ["c"],
    description: t("New message"),
    run: () => {
      const view = route.value;
      if (view.kind === "narrow" && (view.narrow.kind === "channel" || view.narrow.kind === "topic"))
        compose.open({ kind: "topic", channelId: view.narrow.channelId, topic: "" });
      else compose.open();
    },
  },
  { keys: ["x"], description: t("New direct message"), run: () => compose.open({ kind: "direct", userIds: [] }) },
  {
    keys: ["+"],
    description: t("React with 👍"),
    run: withMessage(
      (message) =>
        void tryTo(() =>
          toggleReaction(message, { emoji_name: "+1", emoji_code: "1f44d", reaction_type: "unicode_emoji" }),
        ),
    ),
  },
  {
    keys: [":"],
    description: t("Choose a reaction"),
    run: withMessage(({ id }) => {
      openPicker.value = id;
    }),
  },
  {
    keys: ["*"],
    description: t("Star, or remove the star"),
    run: withMessage(
      (message) =>
        void tryTo(async () =>
          setFlag([message.id], "starred", currentState().starred.has(message.id) ? "remove" : "add"),
        ),
    ),
  },
  { keys: ["i"], description: t("Actions for a message"), run: openMenu },
  { keys: ["e"], description: t("Edit the message, or your last one"), run: edit },
  {
    keys: ["m"],
    description: t("Move the message or its topic"),
    run: withMessage(moveMessage),
  },
  { keys: ["M"], description: t("Mute the topic, or unmute it"), run: toggleTopicMuted },
  {
    keys: ["U"],
    description: t("Mark as unread from here"),
    run: withMessage((message) => void tryTo(() => markUnreadFrom(message))),
  },
  {
    keys: ["s"],
    description: t("Narrow to the topic or conversation"),
    run: withMessage((message) => goToNarrow(conversationOf(message, currentState().userId), message.id)),
  },
  {
    keys: ["S"],
    description: t("Show the whole channel"),
    run: withMessage((message) => {
      if (message.stream_id !== undefined) goToNarrow({ kind: "channel", channelId: message.stream_id }, message.id);
    }),
  },
  { keys: ["I"], description: t("Inbox"), run: () => go({ kind: "inbox" }) },
  { keys: ["t"], description: t("Recent conversations"), run: () => go({ kind: "recent" }) },
  { keys: ["a"], description: t("Combined feed"), run: () => goToNarrow({ kind: "feed" }) },
  { keys: ["P"], description: t("Direct messages"), run: () => goToNarrow({ kind: "directs" }) },
  { keys: ["d"], description: t("Drafts"), run: () => go({ kind: "drafts" }) },
  { keys: ["g"], description: t("Settings"), run: () => go({ kind: "settings", section: "profile" }) },
  { keys: ["Escape"], description: t("Go to the home view"), run: () => go(home.peek()) },
]);

const byKey = computed(
  () => new Map(shortcuts.value.flatMap((shortcut) => shortcut.keys.map((key) => [key, shortcut] as const))),
);

export function onShortcut(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.altKey) return;
  // Also while one is writing, but not while something else has to be answered first.
  if (event.key === "k" && (event.ctrlKey || event.metaKey) && !event.shiftKey) {
    if (document.querySelector("dialog[open]") && !paletteOpen.value) return;
    event.preventDefault();
    togglePalette();
    return;
  }
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
  const shortcut = byKey.value.get(event.key);
  if (!shortcut) return;
  event.preventDefault();
  shortcut.run();
}
