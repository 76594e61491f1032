import { createRef } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { scheduleMessage, sendTyping } from "../../actions.ts";
import { t } from "../../languages/language.ts";
import { fullTime } from "../../lib/time.ts";
import { currentState, ownUserId, settings } from "../../session.ts";
import { conversationFor, type Recipient, recipientIn } from "../../state/recipient.ts";
import { toast, tryTo } from "../../toasts.ts";
import { discard } from "../../unsent/delivery.ts";
import { findUnsent, newId, type UnsentMessage } from "../../unsent/unsent-messages.ts";
import { editLastOwn } from "../messages/edit-message.tsx";
import { route } from "../navigation/router.ts";
import { EmojiPicker } from "../parts/emoji-picker.tsx";
import { lazy } from "../parts/lazy.tsx";
import { Icon, IconButton, Menu } from "../parts/parts.tsx";
import { compose } from "./compose-state.ts";
import { applyFormat, type Format, formats, timeTag } from "./formatting.ts";
import { MessageField, noteClosed } from "./message-field.tsx";
import { isWide, Preview, showsBeside } from "./preview.tsx";
import { RecipientChoice, RecipientName, recipientName, TopicChoice } from "./recipient.tsx";
import { Snippets } from "./snippets.tsx";
import { uploadFor, uploads, useFileDrop } from "./uploads.ts";

/** The compose box. */

const TimeDialog = lazy(async () => (await import("../seldom.ts")).TimeDialog);
const NewPoll = lazy(async () => (await import("../seldom.ts")).NewPoll);
const NewTodoList = lazy(async () => (await import("../seldom.ts")).NewTodoList);

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
      {recipient ? (
        <button type="button" class="primary" onClick={() => compose.open(recipient)}>
          {t("Write to {recipient}", { recipient: recipientName(recipient) })}
        </button>
      ) : (
        <span class="quiet small">{t("This view has no single recipient.")}</span>
      )}
      <button type="button" class={recipient ? "" : "primary"} onClick={() => compose.open()}>
        {t("New message")}
      </button>
      <button type="button" onClick={() => compose.open({ kind: "direct", userIds: [] })}>
        {t("New direct message")}
      </button>
    </div>
  );
}

const titleOf = ({ label, shortcut }: Format) =>
  shortcut ? `${label} (${t("Ctrl")}+${shortcut.replace(/.$/, (key) => key.toUpperCase())})` : label;

/** The field of the box. An upload may end when the box was closed and opened again. */
const field = createRef<HTMLTextAreaElement>();

/**
 * Adds the link to a file that was uploaded for a message, after what is selected. What the user does meanwhile goes on: the
 * focus and the selection stay.
 */
function insertLink(message: UnsentMessage, link: string): void {
  const latest = findUnsent(message.id) ?? message;
  const area = compose.box.peek()?.messageId === message.id ? field.current : null;
  // Until the box is rendered, the field has the text of the message before.
  if (area?.value !== latest.text) {
    compose.change(latest, { text: `${latest.text}${link}\n` });
    return;
  }
  const { selectionStart: start, selectionEnd: end } = area;
  area.setRangeText(`${link}\n`, end, end, "end");
  if (start < end) area.setSelectionRange(start, end);
  compose.change(latest, { text: area.value });
}

/**
 * The box with a message. Everything in it acts on the message that it was rendered with, whose recipient it shows, even if
 * another one is about to be rendered.
 */
function OpenBox({ message }: { message: UnsentMessage }) {
  const to = useRef<HTMLDivElement>(null);
  /** Whether the preview is shown in the place of the text. */
  const [replacesText, setReplacesText] = useState(false);
  const [hasFocus, setHasFocus] = useState(false);
  const [popup, setPopup] = useState<"emoji" | "time" | "later" | "snippets" | "poll" | "todo" | undefined>();
  const { recipient, text } = message;
  const isBeside = isWide.value && showsBeside.value;
  const isInstead = !isWide.value && replacesText;
  const choice = compose.box.value?.choice ?? "nothing";
  const conversation = conversationFor(recipient, currentState());
  const uploading = uploads.value.filter(({ messageId }) => messageId === message.id);
  const hasText = text.trim() !== "";
  const isReady = hasText && uploading.length === 0;

  const changeRecipient = (chosen: Recipient) => compose.change(message, { recipient: chosen });
  const askForRecipient = () => {
    toast(recipient.kind === "topic" ? t("Choose a topic.") : t("Choose where to write."));
    // What is missing comes last: the topic after its channel.
    [...(to.current?.querySelectorAll("input") ?? [])].at(-1)?.focus();
  };

  const openForRecipient = (chosen: typeof popup) => (conversation ? setPopup(chosen) : askForRecipient());
  /** Sends a poll or a to-do list, which is a message of its own: the text in the box stays. */
  const sendWidget = (command: string) => {
    if (compose.send({ id: newId(), recipient, text: command, changedAt: Date.now() })) setPopup(undefined);
    else askForRecipient();
  };

  /** Inserts a text at the cursor; at the end if another message has taken this one's place in the box. */
  const insert = (insertion: string) => {
    const latest = findUnsent(message.id) ?? message;
    const area = compose.box.peek()?.messageId === message.id ? field.current : null;
    const start = area?.selectionStart ?? latest.text.length;
    const end = area?.selectionEnd ?? start;
    compose.change(latest, { text: latest.text.slice(0, start) + insertion + latest.text.slice(end) });
    if (area)
      requestAnimationFrame(() => {
        area.focus();
        area.setSelectionRange(start + insertion.length, start + insertion.length);
      });
  };

  const upload = (files: Iterable<File>) => uploadFor(message, files, (link) => insertLink(message, link));

  const isDropping = useFileDrop(upload);
  /** Whether the box has to show more than one line, also on a phone. */
  const isUsed = hasFocus || hasText || uploading.length > 0 || isInstead || choice === "recipient";

  const send = () => {
    if (!isReady) return;
    if (!conversation) return askForRecipient();
    sendTyping(conversation, "stop");
    setReplacesText(false);
    compose.send(message);
  };

  return (
    <section
      class={`compose ${isUsed ? "used" : ""}`}
      aria-label={t("Write a message")}
      onFocusIn={() => setHasFocus(true)}
      // The focus stays while another window has it, such as the one where files are chosen.
      onFocusOut={({ currentTarget, relatedTarget }) =>
        setHasFocus(currentTarget.contains((relatedTarget as Node | null) ?? document.activeElement))
      }
    >
      {isDropping && (
        <div class="drop-target">
          <strong>{t("Drop the files to add them to the message")}</strong>
        </div>
      )}
      <div class="compose-to" id="compose-to" ref={to}>
        {choice === "nothing" && <RecipientName recipient={recipient} />}
        {choice === "topic" && recipient.kind === "topic" && (
          <TopicChoice recipient={recipient} onChange={changeRecipient} />
        )}
        {choice === "recipient" && <RecipientChoice recipient={recipient} onChange={changeRecipient} />}
        <IconButton icon="close" label={t("Close and keep as a draft")} onClick={compose.close} />
      </div>
      <div class={`compose-text ${isBeside ? "beside" : ""}`}>
        {isInstead || (
          <MessageField
            field={field}
            label={t("Message")}
            describedBy="compose-to"
            placeholder={
              conversation ? t("Message {recipient}", { recipient: recipientName(conversation) }) : t("Message")
            }
            text={text}
            recipient={recipient}
            onText={(changed) => {
              compose.change(message, { text: changed });
              if (conversation && changed !== "") sendTyping(conversation, "start");
            }}
            onSendKey={send}
            onEditLast={editLastOwn}
            onFiles={upload}
            isSendKey={(event) => (settings.value?.enter_sends ? !event.shiftKey : event.ctrlKey || event.metaKey)}
          />
        )}
        {(isBeside || isInstead) && <Preview text={text} field={field} />}
      </div>
      {uploading.map(({ id, name, progress, cancel }) => (
        <div class="upload" key={id}>
          <span>{name}</span>
          <progress max={1} value={progress} aria-label={t("Uploading {name}", { name })} />
          <IconButton icon="close" label={t("Cancel uploading {name}", { name })} onClick={() => cancel.abort()} />
        </div>
      ))}
      <div
        class="compose-tools"
        // The field keeps the focus, and a phone its keyboard. Without the focus the tools would vanish under the finger.
        onMouseDown={(event) => event.currentTarget.contains(document.activeElement) || event.preventDefault()}
      >
        <label class="icon-button" title={t("Add files")}>
          <Icon name="file" />
          <span class="unseen">{t("Add files")}</span>
          <input
            type="file"
            multiple
            class="unseen"
            onChange={(event) => {
              upload(event.currentTarget.files ?? []);
              event.currentTarget.value = "";
              field.current?.focus();
            }}
          />
        </label>
        <div class="anchored">
          <IconButton icon="smile" label={t("Insert an emoji")} onClick={() => setPopup("emoji")} />
          {popup === "emoji" && (
            <EmojiPicker
              onClose={() => setPopup(undefined)}
              onPick={({ emoji_name }) => {
                setPopup(undefined);
                insert(`:${emoji_name}: `);
              }}
            />
          )}
        </div>
        {isInstead || (
          <div class="formats" role="group" aria-label={t("Format")}>
            {formats().map((format) => (
              <button
                key={format.label}
                type="button"
                class="icon-button"
                aria-label={format.label}
                title={titleOf(format)}
                aria-keyshortcuts={format.shortcut && `Control+${format.shortcut}`}
                onClick={() => field.current && applyFormat(field.current, format)}
              >
                <Icon name={format.icon} size={16} />
              </button>
            ))}
            <IconButton icon="clock" label={t("Time")} size={16} onClick={() => setPopup("time")} />
          </div>
        )}
        <Menu
          icon="plus"
          label={t("Poll or to-do list")}
          items={[
            { label: t("Poll"), icon: "poll", run: () => openForRecipient("poll") },
            { label: t("To-do list"), icon: "tasks", run: () => openForRecipient("todo") },
          ]}
        />
        <IconButton icon="snippet" label={t("Saved snippets")} onClick={() => setPopup("snippets")} />
        <IconButton
          icon="eye"
          label={isInstead ? t("Go on writing") : t("Preview")}
          pressed={isBeside || isInstead}
          onClick={() => {
            if (isWide.value) showsBeside.value = !showsBeside.value;
            else setReplacesText(!replacesText);
          }}
        />
        <span class="grow" />
        <span class="quiet small hint">{settings.value?.enter_sends ? t("Enter sends") : t("Ctrl+Enter sends")}</span>
        <IconButton
          icon="later"
          label={t("Send later")}
          onClick={() => {
            if (!isReady) toast(t("Write a message first."));
            else openForRecipient("later");
          }}
        />
        <button type="button" class="primary" disabled={!isReady} onClick={send}>
          <Icon name="send" size={16} /> {t("Send")}
        </button>
      </div>
      {popup === "snippets" && <Snippets text={text} onPick={insert} onClose={() => setPopup(undefined)} />}
      {popup === "time" && (
        <TimeDialog
          title={t("Insert a time")}
          mayBePast
          onClose={() => setPopup(undefined)}
          onPick={async (seconds) => {
            setPopup(undefined);
            insert(timeTag(seconds));
          }}
        />
      )}
      {popup === "later" && conversation && (
        <TimeDialog
          title={t("Send later")}
          onClose={() => setPopup(undefined)}
          onPick={async (deliverAtSeconds) => {
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
