import { useComputed } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { quoted } from "../../../shared/core/markdown/source/fenced.ts";
import { silentMention } from "../../../shared/core/markdown/source/references.ts";
import { t } from "../../base/languages/language.ts";
import { textOf, wholeTextOf } from "../../base/lib/html.ts";
import { asMap, parseJson } from "../../base/lib/json.ts";
import { fullTime, timeOfDay } from "../../base/lib/time.ts";
import { openProfile } from "../../navigation/open-profile.ts";
import { openDialog } from "../../navigation/page-dialog.ts";
import { linkToNarrow } from "../../navigation/router.ts";
import { keepUnread, openPicker, rowOf, selectedId } from "../../navigation/selection.ts";
import { Boundary } from "../../parts/boundary.tsx";
import { confirmAndTry } from "../../parts/confirm.tsx";
import { Content } from "../../parts/content.tsx";
import { EmojiGlyph } from "../../parts/emoji/emoji-glyph.tsx";
import { EmojiPicker } from "../../parts/emoji/emoji-picker.tsx";
import { quickEmoji } from "../../parts/emoji/recent-emoji.ts";
import { listedNames } from "../../parts/growing.tsx";
import { lazy, lazyDialog } from "../../parts/lazy.tsx";
import { memo } from "../../parts/memo.ts";
import {
  Avatar,
  channelName,
  IconButton,
  Menu,
  type MenuItem,
  nameOf,
  namesOf,
  PrivacyIcon,
  threadOf,
  topicName,
} from "../../parts/parts.tsx";
import { Toolbar } from "../../parts/toolbar.tsx";
import { deleteMessage, setFlag, toggleReaction } from "../../session/actions/change-messages.ts";
import { fetchMarkdown } from "../../session/actions/fetch-messages.ts";
import { currentState, openNarrows, ownUserId, starred, users } from "../../session/store.ts";
import { toast, tryTo } from "../../session/toasts.ts";
import { editOfMessage, edits } from "../../session/unsent/edits.ts";
import { type Conversation, conversationOf, type Message, type Reaction } from "../../state/model.ts";
import { narrowKey } from "../../state/narrow.ts";
import { isAdministrator } from "../../state/permissions.ts";
import { compose } from "../compose/compose-state.ts";
import { beginEdit, EditMessage } from "../compose/edit-message.tsx";
import { openMove } from "../conversations/topic.tsx";

const HistoryDialog = lazyDialog(async () => (await import("./message-dialogs.tsx")).HistoryDialog);
const Poll = lazy(async () => (await import("./poll.tsx")).Poll);
const ReadersDialog = lazyDialog(async () => (await import("./message-dialogs.tsx")).ReadersDialog);
const ReminderDialog = lazyDialog(async () => (await import("./reminder-dialog.tsx")).ReminderDialog);
const ReportDialog = lazyDialog(async () => (await import("./message-dialogs.tsx")).ReportDialog);
const SourceDialog = lazyDialog(async () => (await import("./message-dialogs.tsx")).SourceDialog);
const TodoList = lazy(async () => (await import("./todo-list.tsx")).TodoList);

/** The header with the destination of the messages below it, the first of which is `near`. */
/** Escaped text with marks, and nothing else. */
const MarkedText = ({ html }: { html: string }) => (
  <>
    {html.split(/<span class="highlight">(.*?)<\/span>/s).map((part, index) => {
      const text = wholeTextOf(part);
      return index % 2 === 0 ? (
        text
      ) : (
        <span key={index} class="highlight">
          {text}
        </span>
      );
    })}
  </>
);

interface HeaderProps {
  conversation: Conversation;
  near: number;
  /** The topic, as HTML, with what a search has found marked. */
  marked: string | undefined;
}

export function RecipientHeader({ conversation, near, marked }: HeaderProps) {
  const tabIndex = useComputed(() => (selectedId.value === near ? 0 : -1)).value;
  if (conversation.kind === "direct")
    return (
      <h2 class="recipient">
        <a tabIndex={tabIndex} href={linkToNarrow(conversation, near)}>
          {t("Direct: {names}", { names: namesOf(conversation.userIds) })}
        </a>
      </h2>
    );
  const { channelId, topic } = conversation;
  return (
    <h2 class="recipient" {...threadOf(conversation)}>
      <a tabIndex={tabIndex} href={linkToNarrow({ kind: "channel", channelId }, near)}>
        <PrivacyIcon channelId={channelId} />
        {channelName(channelId)}
      </a>
      <span aria-hidden="true">›</span>
      <a tabIndex={tabIndex} href={linkToNarrow(conversation, near)}>
        {marked?.includes("<") ? <MarkedText html={marked} /> : topicName(topic)}
      </a>
    </h2>
  );
}

/** What can have the focus in a message, apart from its toolbars, its editor and what opens over it. */
const tabStops = ".message-head :is(a, button), .message-body :is(a, button, [role=button]), .poll :is(button, input)";

/** What scrolls by itself where it has too little room. */
const scrollers = ".rendered :is(pre, table, .katex-display)";

/**
 * Lets Tab lead to the links and buttons of the selected message only, and to what scrolls in it: a list of messages is one
 * Tab stop. Browsers make what scrolls a Tab stop by itself, in every message: its first element takes that over.
 */
function setTabStops(row: HTMLElement, isSelected: boolean): void {
  for (const element of row.querySelectorAll<HTMLElement>(tabStops)) element.tabIndex = isSelected ? 0 : -1;
  for (const scroller of row.querySelectorAll<HTMLElement>(scrollers)) {
    const first = scroller.querySelector<HTMLElement>(":scope > :not(:empty)");
    scroller.tabIndex = -1;
    if (first) first.tabIndex = isSelected && scrolls(scroller) ? 0 : -1;
  }
}

const scrolls = ({ scrollWidth, clientWidth, scrollHeight, clientHeight }: HTMLElement) =>
  scrollWidth > clientWidth || scrollHeight > clientHeight;

/** Whether a message is a poll or a to-do list. */
const widgetTypeOf = ({ submessages: [definition] }: Message) =>
  definition && asMap(parseJson(definition.content)).get("widget_type");

interface RowProps {
  message: Message;
  /** Whether the message before it is of the same sender, whose name then stands above both. */
  continues: boolean;
  /** The content with what a search has found marked. */
  marked: string | undefined;
}

/** A message; its sender and text, if it cannot be shown. */
export const MessageRow = (props: RowProps) => (
  <Boundary what={`message ${props.message.id}`} of={props.message} fallback={() => <PlainMessage {...props} />}>
    <FullMessage {...props} />
  </Boundary>
);

const PlainMessage = ({ message }: { message: Message }) => (
  <article class="message" data-message-id={message.id} tabIndex={-1}>
    <div class="message-side" />
    <div class="message-main">
      <header class="message-head">{nameOf(message.sender_id)}</header>
      <p class="plain-text">{textOf(String(message.content))}</p>
    </div>
  </article>
);

const FullMessage = memo(function FullMessage({ message, continues, marked }: RowProps) {
  const isPickerOpen = useComputed(() => openPicker.value === message.id).value;
  const pick = () => {
    openPicker.value = message.id;
  };
  /** The browser reports that a picker was closed only after the click that did so, which may have opened another one. */
  const closePicker = () => {
    if (openPicker.peek() === message.id) openPicker.value = undefined;
  };
  const edit = useComputed(() => edits.value.get(editOfMessage(message.id))).value;
  const isSelected = useComputed(() => selectedId.value === message.id).value;
  const sender = users.value?.get(message.sender_id);
  const name = sender?.full_name ?? message.sender_full_name;
  const isUnread = !message.flags.includes("read");
  const mentions = message.flags.some((flag) => flag === "mentioned" || flag.endsWith("wildcard_mentioned"));
  const isStarred = starred.value?.has(message.id) ?? false;
  const widgetType = widgetTypeOf(message);
  const showHead = !continues;
  const row = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (row.current) setTabStops(row.current, isSelected);
  });
  return (
    <article
      class={`message ${continues ? "continues" : ""} ${mentions ? "mentioned" : ""} ${isSelected ? "selected" : ""}`}
      data-message-id={message.id}
      data-unread={isUnread}
      ref={row}
      tabIndex={isSelected ? 0 : -1}
      aria-label={`${name}, ${timeOfDay(message.timestamp)}`}
      onFocusIn={() => {
        selectedId.value = message.id;
      }}
    >
      <div class="message-side">
        {showHead ? (
          // The sender's name beside it does the same.
          <button type="button" class="plain" tabIndex={-1} onClick={() => openProfile(message.sender_id)}>
            <Avatar user={sender} />
            <span class="unseen">{t("Profile of {name}", { name })}</span>
          </button>
        ) : (
          <span class="message-time small">{timeOfDay(message.timestamp)}</span>
        )}
      </div>
      <div class="message-main">
        {showHead && !message.is_me_message && (
          <header class="message-head">
            <button type="button" class="plain sender" onClick={() => openProfile(message.sender_id)}>
              {name}
            </button>
            {sender?.is_bot && <span class="badge">{t("bot")}</span>}
            <AgentBadge message={message} />
            <TimeLink message={message} />
            <EditedMark message={message} />
          </header>
        )}
        {edit ? (
          <EditMessage message={message} edit={edit} />
        ) : widgetType === "poll" ? (
          <Poll message={message} />
        ) : widgetType === "todo" ? (
          <TodoList message={message} />
        ) : (
          <div class={`message-body ${message.is_me_message ? "of-me" : ""}`}>
            {message.is_me_message && (
              <button type="button" class="plain sender" onClick={() => openProfile(message.sender_id)}>
                {name}
              </button>
            )}
            <Content html={marked ?? message.content} isMe={message.is_me_message} expandedAs={`${message.id}`} />
            {message.is_me_message && <AgentBadge message={message} />}
            {message.is_me_message && showHead && <TimeLink message={message} />}
            {(continues || message.is_me_message) && <EditedMark message={message} />}
          </div>
        )}
        <Reactions message={message} isReachable={isSelected} onAdd={pick} />
      </div>
      {isUnread && <span class="unseen">{t("unread")}</span>}
      <Toolbar
        class={`message-tools ${isPickerOpen ? "open" : ""}`}
        label={t("Message actions")}
        reachable={isSelected}
      >
        {quickEmoji.value.map((emoji) => (
          <button
            key={`${emoji.reaction_type}:${emoji.emoji_code}`}
            type="button"
            class="icon-button quick"
            aria-label={t("React with :{emoji}:", { emoji: emoji.emoji_name })}
            title={t("React with :{emoji}:", { emoji: emoji.emoji_name })}
            onClick={() => void tryTo(() => toggleReaction(message, emoji))}
          >
            <EmojiGlyph type={emoji.reaction_type} code={emoji.emoji_code} name={emoji.emoji_name} />
          </button>
        ))}
        <div class="anchored">
          <IconButton icon="smile" label={t("React")} onClick={() => (isPickerOpen ? closePicker() : pick())} />
          {isPickerOpen && (
            <EmojiPicker
              onClose={closePicker}
              onPick={(emoji) => {
                closePicker();
                void tryTo(() => toggleReaction(message, emoji));
              }}
            />
          )}
        </div>
        <IconButton icon="quote" label={t("Quote and reply")} onClick={() => void tryTo(() => quote(message))} />
        {message.sender_id === ownUserId.value && (
          <IconButton icon="drafts" label={t("Edit")} onClick={() => void beginEdit(message.id)} />
        )}
        <IconButton
          icon="star"
          label={isStarred ? t("Remove star") : t("Star")}
          pressed={isStarred}
          class={isStarred ? "starred" : ""}
          onClick={() => void tryTo(() => setFlag([message.id], "starred", isStarred ? "remove" : "add"))}
        />
        <Menu icon="more" label={t("More")} items={() => messageActions(message)} />
      </Toolbar>
    </article>
  );
});

/** What is selected in a message's text; empty if nothing is, or something else, too. */
function selectedIn(id: number): string {
  const selection = getSelection();
  const content = rowOf(id)?.querySelector(".message-body");
  const isInside = content?.contains(selection?.anchorNode ?? null) && content.contains(selection?.focusNode ?? null);
  return isInside ? (selection?.toString().trim() ?? "") : "";
}

/** A message, or what is selected of it, as a quotation with a link to it. */
async function quotationOf(message: Message): Promise<string> {
  const text = selectedIn(message.id) || (await fetchMarkdown(message.id));
  const conversation = conversationOf(message, currentState().userId);
  const link = new URL(linkToNarrow(conversation, message.id), location.href).href;
  const known = currentState().users.get(message.sender_id);
  const sender = { id: message.sender_id, fullName: known?.full_name ?? message.sender_full_name };
  return `${silentMention(sender)} [said](${link}):\n${quoted(text)}\n`;
}

/** Quotes a message in the compose field of its conversation. */
export async function quote(message: Message): Promise<void> {
  const quotation = await quotationOf(message);
  compose.open(conversationOf(message, currentState().userId));
  compose.insert(quotation);
}

async function copyText(message: Message): Promise<void> {
  await navigator.clipboard.writeText(await fetchMarkdown(message.id));
  toast(t("The text was copied."));
}

const removeMessage = (message: Message) =>
  confirmAndTry(
    {
      title: t("Delete the message?"),
      text: t("It is deleted for everyone, with its reactions. This cannot be undone."),
      label: t("Delete"),
    },
    () => deleteMessage(message.id),
  );

/** Asks where a message of a channel is to be moved. */
export function moveMessage({ id, stream_id: channelId, subject: topic }: Message): void {
  if (channelId !== undefined) openMove(id, { channelId, topic }, false);
}

/** Marks a message and the later ones of the open list as unread, as far as they are loaded. */
export async function markUnreadFrom(message: Message): Promise<void> {
  const [narrow] = openNarrows.value;
  const listIds = (narrow && currentState().lists.get(narrowKey(narrow))?.ids) ?? [message.id];
  const ids = listIds.filter((id) => id >= message.id);
  keepUnread(ids);
  await setFlag(ids, "read", "remove");
}

const openHistory = (message: Message) =>
  openDialog((onClose) => <HistoryDialog message={message} onClose={onClose} />);

/** What the user can do with a message. */
export function messageActions(message: Message): MenuItem[] {
  const current = currentState();
  const { userId, realm } = current;
  const isMine = message.sender_id === userId;
  const isInChannel = message.type === "stream";
  const conversation = conversationOf(message, userId);
  return [
    { label: t("Quote and reply"), icon: "quote", run: () => void tryTo(() => quote(message)) },
    {
      label: t("Forward"),
      icon: "send",
      run: () => void tryTo(async () => compose.forward(await quotationOf(message))),
    },
    ...(isMine ? [{ label: t("Edit"), icon: "drafts", run: () => void beginEdit(message.id) } as const] : []),
    ...(isInChannel ? [{ label: t("Move"), icon: "move", run: () => moveMessage(message) } as const] : []),
    { label: t("Mark as unread from here"), icon: "inbox", run: () => void tryTo(() => markUnreadFrom(message)) },
    {
      label: t("Remind me"),
      icon: "bell",
      run: () => openDialog((onClose) => <ReminderDialog message={message} onClose={onClose} />),
    },
    {
      label: t("Copy link"),
      icon: "link",
      run: () =>
        void navigator.clipboard.writeText(new URL(linkToNarrow(conversation, message.id), location.href).href),
    },
    { label: t("Copy text"), icon: "list", run: () => void tryTo(() => copyText(message)) },
    {
      label: t("View source"),
      icon: "code",
      run: () => openDialog((onClose) => <SourceDialog message={message} onClose={onClose} />),
    },
    ...(message.last_edit_timestamp !== undefined || message.last_moved_timestamp !== undefined
      ? [{ label: t("Edit history"), icon: "clock", run: () => openHistory(message) } as const]
      : []),
    ...(realm.realm_enable_read_receipts
      ? [
          {
            label: t("Who has read this"),
            icon: "eye",
            run: () => openDialog((onClose) => <ReadersDialog message={message} onClose={onClose} />),
          } as const,
        ]
      : []),
    ...(!isMine && (realm.realm_moderation_request_channel_id ?? -1) >= 0
      ? [
          {
            label: t("Report"),
            icon: "flag",
            run: () => openDialog((onClose) => <ReportDialog message={message} onClose={onClose} />),
          } as const,
        ]
      : []),
    ...(isMine || isAdministrator(current)
      ? [{ label: t("Delete"), icon: "trash", danger: true, run: () => void removeMessage(message) } as const]
      : []),
  ];
}

/** When a message was sent, with its link. */
const TimeLink = ({ message }: { message: Message }) => (
  <a
    class="message-time"
    href={linkToNarrow(conversationOf(message, ownUserId.value ?? 0), message.id)}
    title={fullTime(message.timestamp)}
  >
    {timeOfDay(message.timestamp)}
  </a>
);

const AgentBadge = ({ message: { via } }: { message: Message }) =>
  via ? <span class="badge via">{t("via {name}", { name: via === "Email" ? t("Email") : via })}</span> : null;

/** The mark of an edited or moved message, which shows its history. */
function EditedMark({ message }: { message: Message }) {
  const changedAt = message.last_edit_timestamp ?? message.last_moved_timestamp;
  if (changedAt === undefined) return null;
  return (
    <button type="button" class="plain edited" title={fullTime(changedAt)} onClick={() => openHistory(message)}>
      {message.last_edit_timestamp !== undefined ? t("edited") : t("moved")}
    </button>
  );
}

/** The reactions of a message with one emoji. */
interface ReactionGroup {
  reaction: Reaction;
  userIds: number[];
}

function groupReactions(reactions: readonly Reaction[]): ReactionGroup[] {
  const groups = new Map<string, ReactionGroup>();
  for (const reaction of reactions) {
    const key = `${reaction.reaction_type}:${reaction.emoji_code}`;
    const group = groups.get(key) ?? { reaction, userIds: [] };
    group.userIds.push(reaction.user_id);
    groups.set(key, group);
  }
  return [...groups.values()];
}

function Reactions({ message, isReachable, onAdd }: { message: Message; isReachable: boolean; onAdd: () => void }) {
  if (message.reactions.length === 0) return null;
  const reader = ownUserId.value;
  return (
    <Toolbar class="reactions" label={t("Reactions")} reachable={isReachable}>
      {groupReactions(message.reactions).map(({ reaction, userIds }) => {
        const label = t("{count}: {names} reacted with :{emoji}:", {
          count: userIds.length,
          names: listedNames(userIds, (id) => (id === reader ? t("You") : nameOf(id))),
          emoji: reaction.emoji_name,
        });
        return (
          <button
            key={`${reaction.reaction_type}:${reaction.emoji_code}`}
            type="button"
            class={`reaction ${reader !== undefined && userIds.includes(reader) ? "mine" : ""}`}
            title={label}
            aria-label={label}
            aria-pressed={reader !== undefined && userIds.includes(reader)}
            onClick={() => void tryTo(() => toggleReaction(message, reaction))}
          >
            <EmojiGlyph type={reaction.reaction_type} code={reaction.emoji_code} name={reaction.emoji_name} />
            <span>{userIds.length}</span>
          </button>
        );
      })}
      <IconButton icon="plus" label={t("Add a reaction")} size={14} class="reaction" onClick={onAdd} />
    </Toolbar>
  );
}
