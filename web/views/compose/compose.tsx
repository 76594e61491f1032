import { createRef, type RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "../../base/languages/language.ts";
import { isTooLong } from "../../base/lib/length.ts";
import { fullTime } from "../../base/lib/time.ts";
import { route } from "../../navigation/router.ts";
import { lazy, lazyDialog } from "../../parts/lazy.tsx";
import { focusPage, Icon, IconButton, Menu, threadOf, topicName } from "../../parts/parts.tsx";
import { scheduleMessage } from "../../session/actions/change-messages.ts";
import { sendTyping } from "../../session/actions/typing-notices.ts";
import { perSession } from "../../session/session.ts";
import { currentState, ownUserId, settings } from "../../session/store.ts";
import { toast, tryTo } from "../../session/toasts.ts";
import { discard } from "../../session/unsent/delivery.ts";
import { findUnsent, newId, putUnsent, type UnsentMessage } from "../../session/unsent/unsent-messages.ts";
import { type Conversation, resolvedMark } from "../../state/model.ts";
import { conversationFor, fits, maxMessageLength, type Recipient, recipientIn } from "../../state/recipient.ts";
import { compose } from "./compose-state.ts";
import { editLastOwn } from "./edit-message.tsx";
import { RecipientChoice, RecipientName, recipientName, TopicChoice } from "./recipient-fields.tsx";
import { uploadFor } from "./uploads.ts";
import { uploadsOf, Writer, type Written } from "./writer.tsx";
import { writerDialogs } from "./writer-dialogs.ts";

/** The compose box. */

const { TimeDialog } = writerDialogs;

const NewPoll = lazyDialog(async () => (await import("./new-widget.tsx")).NewPoll);
const NewTodoList = lazyDialog(async () => (await import("./new-widget.tsx")).NewTodoList);
const Warnings = lazy(
  async () => (await import("./warnings.tsx")).Warnings,
  (_, problem) => problem ?? null,
);

export function ComposeBox() {
  const message = compose.message.value;
  return message ? <OpenBox key={compose.box.value?.version} message={message} /> : <ClosedBox />;
}

function ClosedBox() {
  useEffect(noteClosed, []);
  const view = route.value;
  const recipient = view.kind === "narrow" ? recipientIn(view.narrow, ownUserId.value ?? 0) : undefined;
  return (
    <div class="compose closed">
      {recipient && (
        <button type="button" class="primary" onClick={() => compose.open(recipient)}>
          {t("Write to {recipient}", { recipient: recipientName(recipient) })}
        </button>
      )}
      <button type="button" onClick={() => compose.open()}>
        {t("New message")}
      </button>
      <button type="button" onClick={() => compose.open({ kind: "direct", userIds: [] })}>
        {t("New direct message")}
      </button>
    </div>
  );
}

/** The field of the box. An upload may end when the box was closed and opened again. */
const field = createRef<HTMLTextAreaElement>();

const focus = perSession(() => ({
  /** The request that was carried out last. */
  handledRequest: 0,
  /** Whether the field that was open last had the focus when it was removed; false if the box was closed. */
  wasInField: false,
}));

const noteClosed = () => {
  focus().wasInField = false;
};

/** Gives the field the focus: in layout effects, so that a key that is pressed right after the box opens reaches it. */
function useBoxFocus({ id, recipient }: UnsentMessage, to: RefObject<HTMLElement | null>): void {
  const request = compose.focusRequests.value;
  useLayoutEffect(() => {
    // The keys that a user who writes goes on pressing after a change of the view belong into the field, too. Others go to the
    // messages: a conversation that is opened to be read does not take them.
    if (focus().wasInField) field.current?.focus();
    const area = field.current;
    return () => {
      focus().wasInField = document.activeElement === area;
    };
  }, []);
  useLayoutEffect(() => {
    if (request === focus().handledRequest) return;
    focus().handledRequest = request;
    // Who asked to write to people, or to forward a message, says first to whom.
    const isToNobody =
      id === compose.forwarded.peek() || (recipient.kind === "direct" && recipient.userIds.length === 0);
    const people = isToNobody && to.current?.querySelector("input");
    (people || field.current)?.focus();
  }, [request]);
}

/** A message in the box, as the field needs it. */
const writtenIn = (message: UnsentMessage): Written => ({
  id: message.id,
  text: message.text,
  latest: () => (findUnsent(message.id) ?? message).text,
  change: (text) => compose.change(findUnsent(message.id) ?? message, { text }),
  isInField: () => compose.box.peek()?.messageId === message.id,
});

/** Uploads the text of a message that is too long, and sends the link to the file in its place. */
function sendAsFile(message: UnsentMessage): void {
  const { text } = message;
  const file = new File([text], "message.txt", { type: "text/plain" });
  uploadFor(message.id, [file], (link) => {
    const latest = findUnsent(message.id);
    const isInBox = compose.box.peek()?.messageId === message.id;
    if (isInBox && latest?.text === text && compose.send({ ...latest, text: link })) return;
    // What the user has typed meanwhile stays.
    if (latest?.text.startsWith(text)) compose.change(latest, { text: `${link}\n${latest.text.slice(text.length)}` });
    else toast(t("The text was changed while it was being uploaded."));
  });
}

/** Whether a message may have something of which the sender is warned: a mention, or a topic that is resolved. */
const mayNeedWarning = (text: string, conversation: Conversation | undefined) =>
  conversation?.kind === "topic" &&
  text.trim() !== "" &&
  (text.includes("@**") || conversation.topic.startsWith(resolvedMark));

/**
 * The box with a message. Everything in it acts on the message that it was rendered with, whose recipient it shows, even if
 * another one is about to be rendered.
 */
function OpenBox({ message }: { message: UnsentMessage }) {
  const to = useRef<HTMLDivElement>(null);
  const [hasFocus, setHasFocus] = useState(false);
  const [popup, setPopup] = useState<"later" | "poll" | "todo" | undefined>();
  useBoxFocus(message, to);
  const { recipient, text } = message;
  const written = writtenIn(message);
  const choice = compose.box.value?.choice ?? "nothing";
  const conversation = conversationFor(recipient, currentState());
  const isUploading = uploadsOf(written).length > 0;
  const hasText = text.trim() !== "";
  const max = maxMessageLength(currentState());
  const isReady = hasText && !isUploading && fits(currentState(), recipient, text);

  const changeRecipient = (chosen: Recipient) => compose.change(message, { recipient: chosen });
  const askForRecipient = () => {
    toast(recipient.kind === "topic" ? t("Choose a topic.") : t("Choose where to write."));
    // What is missing comes last: the topic after its channel.
    [...(to.current?.querySelectorAll("input") ?? [])].at(-1)?.focus();
  };

  const openForRecipient = (chosen: typeof popup) => (conversation ? setPopup(chosen) : askForRecipient());
  /** Sends a poll or a to-do list, which is a message of its own: the text in the box stays. */
  const sendWidget = (command: string) => {
    const isSent = compose.send({ id: newId(), recipient, text: command, changedAt: Date.now() });
    if (isSent) setPopup(undefined);
    else askForRecipient();
    return isSent;
  };

  /** Whether the box has to show more than one line, also on a phone. */
  const isUsed = hasFocus || hasText || isUploading || choice === "recipient";

  const askedForTopic = useRef("");
  /** Asks once for the topic of a message that nobody has given one, where the view does not decide it. */
  const asksForTopic = () => {
    const hasTopic = conversation?.kind !== "topic" || conversation.topic !== "";
    const isChosen = choice === "nothing" || hasTopic || !to.current?.querySelector(".topic-field");
    if (isChosen || askedForTopic.current === message.id) return false;
    askedForTopic.current = message.id;
    to.current?.querySelector<HTMLElement>(".topic-field input")?.focus();
    toast(t("Choose a topic, or send again to use “{topic}”.", { topic: topicName("") }));
    return true;
  };

  const send = () => {
    if (!isReady) return;
    if (!conversation) return askForRecipient();
    if (asksForTopic()) return;
    sendTyping(conversation, "stop");
    compose.send(message);
  };

  const close = () => {
    compose.close();
    focusPage();
  };

  /** Keys that the fields of the recipient leave: Enter and Tab go on to the next field, which may be the message's. */
  const onKeyInRecipient = (event: KeyboardEvent) => {
    const { key, target } = event;
    if (event.defaultPrevented || event.isComposing || !(target instanceof HTMLInputElement)) return;
    if (key === "Escape") return close();
    // The choice of a channel that is left is about to show the field of the topic.
    const isTab = key === "Tab" && !event.shiftKey && recipient.kind !== "unchosen";
    if (key !== "Enter" && !isTab) return;
    event.preventDefault();
    const fields = [...(to.current?.querySelectorAll("input") ?? [])];
    if (!isTab && (event.ctrlKey || event.metaKey)) send();
    else (fields[fields.indexOf(target) + 1] ?? field.current)?.focus();
  };

  return (
    <section
      {...threadOf(conversation)}
      class={`compose ${isUsed ? "used" : ""}`}
      aria-label={t("Write a message")}
      onFocusIn={() => setHasFocus(true)}
      // The focus stays while another window has it, such as the one where files are chosen.
      onFocusOut={({ currentTarget, relatedTarget }) =>
        setHasFocus(currentTarget.contains((relatedTarget as Node | null) ?? document.activeElement))
      }
    >
      <div class="compose-to" id="compose-to" ref={to} onKeyDown={onKeyInRecipient}>
        {choice === "nothing" && <RecipientName recipient={recipient} />}
        {choice === "topic" && recipient.kind === "topic" && (
          <TopicChoice recipient={recipient} onChange={changeRecipient} />
        )}
        {choice === "recipient" && <RecipientChoice recipient={recipient} onChange={changeRecipient} />}
        <IconButton icon="close" label={t("Close and keep as a draft")} onClick={compose.close} />
      </div>
      {mayNeedWarning(text, conversation) && <Warnings text={text} conversation={conversation} />}
      <Writer
        written={written}
        field={field}
        label={t("Message")}
        describedBy="compose-to"
        placeholder={conversation ? t("Message {recipient}", { recipient: recipientName(conversation) }) : t("Message")}
        recipient={recipient}
        max={max}
        onTyped={(changed) => conversation && changed !== "" && sendTyping(conversation, "start")}
        onSubmit={send}
        onEscape={close}
        onEditLast={editLastOwn}
        dialogs={writerDialogs}
        tools={
          <Menu
            icon="plus"
            label={t("Poll or to-do list")}
            items={[
              { label: t("Poll"), icon: "poll", run: () => openForRecipient("poll") },
              { label: t("To-do list"), icon: "tasks", run: () => openForRecipient("todo") },
            ]}
          />
        }
        tooLong={
          isTooLong(text, max) && (
            <button type="button" disabled={isUploading} onClick={() => sendAsFile(message)}>
              {t("Send as a file")}
            </button>
          )
        }
      >
        <span class="quiet small hint">{settings.value?.enter_sends ? t("Enter sends") : t("Ctrl+Enter sends")}</span>
        <IconButton
          icon="later"
          label={t("Send later")}
          onClick={() => {
            if (!hasText || isUploading) toast(t("Write a message first."));
            else if (!isReady) toast(t("The message is too long."));
            else openForRecipient("later");
          }}
        />
        <button type="button" class="primary" disabled={!isReady} onClick={send}>
          <Icon name="send" size={16} /> {t("Send")}
        </button>
      </Writer>
      {popup === "later" && conversation && (
        <TimeDialog
          title={t("Send later")}
          onClose={() => setPopup(undefined)}
          onPick={async (deliverAtSeconds) => {
            putUnsent({ ...message, scheduledFor: deliverAtSeconds });
            if (!(await tryTo(() => scheduleMessage(conversation, text.trim(), deliverAtSeconds)))) return;
            setPopup(undefined);
            compose.empty(message);
            discard(message.id);
            toast(t("It will be sent {time}.", { time: fullTime(deliverAtSeconds) }));
          }}
        />
      )}
      {popup === "poll" && <NewPoll onWritten={sendWidget} onClose={() => setPopup(undefined)} />}
      {popup === "todo" && <NewTodoList onWritten={sendWidget} onClose={() => setPopup(undefined)} />}
    </section>
  );
}
