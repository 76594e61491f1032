import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { scheduleMessage, sendMessage, sendTyping, uploadFile } from "../../actions.ts";
import type { Input } from "../../api/calls.ts";
import { call, currentState, settings } from "../../session.ts";
import { type Conversation, conversationKey, directConversation } from "../../state/model.ts";
import { toast, tryTo } from "../../toasts.ts";
import { Content } from "../messages/message.tsx";
import { sortedSubscriptions } from "../navigation/lists.ts";
import { goToNarrow } from "../navigation/router.ts";
import { EmojiPicker } from "../parts/emoji-picker.tsx";
import { channelName, Icon, IconButton, namesOf, topicName } from "../parts/parts.tsx";
import { type Suggestion, suggestionsFor } from "./completion.ts";
import { compose } from "./compose-state.ts";
import { Recipient } from "./recipient.tsx";
import { SendLater } from "./send-later.tsx";
import { Snippets } from "./snippets.tsx";

/** The compose box. */

/** How long after the last key press a draft is saved on the server. */
const draftDelayMs = 1500;

export function ComposeBox() {
  const message = compose.message.value;
  if (!message)
    return (
      <div class="compose closed">
        <button type="button" class="primary" onClick={() => compose.open(firstConversation())}>
          New message
        </button>
        <button type="button" onClick={() => compose.open({ kind: "direct", userIds: [] })}>
          New direct message
        </button>
      </div>
    );
  return <OpenComposeBox key="open" />;
}

/** The initial destination: a new topic of the first channel, or a direct message if there are no channels. */
function firstConversation(): Conversation {
  const [first] = sortedSubscriptions(currentState());
  return first ? { kind: "topic", channelId: first.channel.stream_id, topic: "" } : { kind: "direct", userIds: [] };
}

interface Uploading {
  id: number;
  name: string;
  /** The fraction that was uploaded, 0 to 1. */
  progress: number;
  cancel: AbortController;
}

let lastUploadId = 0;

function OpenComposeBox() {
  const message = compose.message.value;
  const field = useRef<HTMLTextAreaElement>(null);
  const [suggestions, setSuggestions] = useState<readonly Suggestion[]>([]);
  const [chosenIndex, setChosenIndex] = useState(0);
  const [preview, setPreview] = useState<string>();
  const [popup, setPopup] = useState<"emoji" | "later" | "snippets" | undefined>();
  const [uploads, setUploads] = useState<readonly Uploading[]>([]);
  const conversation = message?.conversation;
  const text = message?.text ?? "";

  // In a layout effect, so that a key that is pressed right after the box opens reaches the field.
  useLayoutEffect(() => field.current?.focus(), [compose.focusRequests.value]);
  useLayoutEffect(() => {
    const area = field.current;
    if (!area) return;
    area.style.height = "auto";
    area.style.height = `${Math.min(area.scrollHeight + 2, innerHeight * 0.4)}px`;
  }, [text, preview]);
  useDraft();

  if (!message || !conversation) return null;

  const updateSuggestions = () => {
    const area = field.current;
    const found =
      area && area.selectionStart === area.selectionEnd ? suggestionsFor(area.value, area.selectionStart) : [];
    setSuggestions(found);
    setChosenIndex(0);
  };

  const accept = (suggestion: Suggestion) => {
    const area = field.current;
    if (!area) return;
    const cursor = suggestion.from + suggestion.text.length;
    compose.change({
      text: area.value.slice(0, suggestion.from) + suggestion.text + area.value.slice(area.selectionStart),
    });
    setSuggestions([]);
    requestAnimationFrame(() => {
      area.focus();
      area.setSelectionRange(cursor, cursor);
    });
  };

  const insert = (insertion: string) => {
    const area = field.current;
    const before = compose.message.value?.text ?? "";
    const start = area?.selectionStart ?? before.length;
    const end = area?.selectionEnd ?? start;
    compose.change({ text: before.slice(0, start) + insertion + before.slice(end) });
    requestAnimationFrame(() => {
      area?.focus();
      area?.setSelectionRange(start + insertion.length, start + insertion.length);
    });
  };

  const hasRecipient = conversation.kind === "topic" || conversation.userIds.length > 0;
  const isReady = text.trim() !== "" && hasRecipient && uploads.length === 0;

  const send = async () => {
    if (!isReady) {
      if (text.trim() !== "" && !hasRecipient) toast("Say whom the message is for.");
      return;
    }
    const target =
      conversation.kind === "direct" ? directConversation(conversation.userIds, currentState().userId) : conversation;
    sendTyping(target, "stop");
    const draftId = message.draftId;
    compose.clear();
    setPreview(undefined);
    goToNarrow(target);
    const sent = await sendMessage(target, text.trim());
    if (sent && draftId !== undefined) await deleteDraft(draftId);
  };

  const upload = (files: Iterable<File>) => {
    for (const file of files) {
      const added: Uploading = { id: ++lastUploadId, name: file.name, progress: 0, cancel: new AbortController() };
      setUploads((before) => [...before, added]);
      void tryTo(async () => {
        const link = await uploadFile(
          file,
          (progress) =>
            setUploads((before) => before.map((each) => (each.id === added.id ? { ...each, progress } : each))),
          added.cancel.signal,
        );
        insert(`${link}\n`);
      }).finally(() => setUploads((before) => before.filter(({ id }) => id !== added.id)));
    }
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const current = suggestions[chosenIndex];
    if (current) {
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        const step = event.key === "ArrowDown" ? 1 : -1;
        setChosenIndex((chosenIndex + step + suggestions.length) % suggestions.length);
        return;
      }
      if (event.key === "Enter" || event.key === "Tab") {
        event.preventDefault();
        accept(current);
        return;
      }
      if (event.key === "Escape") {
        event.stopPropagation();
        setSuggestions([]);
        return;
      }
    }
    if (event.key === "Escape") {
      event.stopPropagation();
      compose.close();
      document.getElementById("messages")?.focus();
      return;
    }
    const isSendKey = settings.value?.enter_sends ? !event.shiftKey : event.ctrlKey || event.metaKey;
    if (event.key === "Enter" && isSendKey) {
      event.preventDefault();
      void send();
    }
  };

  return (
    <section
      class="compose"
      aria-label="Write a message"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        upload(event.dataTransfer?.files ?? []);
      }}
    >
      <div class="compose-to">
        <Recipient conversation={conversation} />
        <IconButton icon="close" label="Close and keep as a draft" onClick={() => compose.close()} />
      </div>
      {preview !== undefined ? (
        <div class="preview" tabIndex={0} role="region" aria-label="Preview">
          <Content html={preview} />
        </div>
      ) : (
        <textarea
          ref={field}
          aria-label="Message"
          aria-autocomplete="list"
          aria-controls={suggestions.length > 0 ? "suggestions" : undefined}
          aria-activedescendant={suggestions[chosenIndex] && `suggestion-${chosenIndex}`}
          placeholder={placeholderFor(conversation)}
          maxLength={Number(currentState().realm.max_message_length)}
          value={text}
          onInput={(event) => {
            compose.change({ text: event.currentTarget.value });
            updateSuggestions();
            if (hasRecipient && event.currentTarget.value !== "") sendTyping(conversation, "start");
          }}
          onClick={updateSuggestions}
          // Delayed, so that a suggestion that takes the focus is not removed before it is chosen.
          onBlur={() => setTimeout(() => setSuggestions([]), 150)}
          onKeyDown={onKeyDown}
          onPaste={(event) => {
            const files = [...(event.clipboardData?.files ?? [])];
            if (files.length === 0) return;
            event.preventDefault();
            upload(files);
          }}
        />
      )}
      {suggestions.length > 0 && (
        <ul class="suggestions" id="suggestions" role="listbox" aria-label="Suggestions">
          {suggestions.map((suggestion, index) => (
            <li
              key={suggestion.text}
              id={`suggestion-${index}`}
              role="option"
              aria-selected={index === chosenIndex}
              tabIndex={-1}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => accept(suggestion)}
            >
              {suggestion.glyph && <span class="glyph">{suggestion.glyph}</span>}
              <strong>{suggestion.label}</strong>
              {suggestion.detail && <span class="quiet"> {suggestion.detail}</span>}
            </li>
          ))}
        </ul>
      )}
      {uploads.map(({ id, name, progress, cancel }) => (
        <div class="upload" key={id}>
          <span>{name}</span>
          <progress max={1} value={progress} aria-label={`Uploading ${name}`} />
          <IconButton icon="close" label={`Cancel uploading ${name}`} onClick={() => cancel.abort()} />
        </div>
      ))}
      <div class="compose-tools">
        <label class="icon-button" title="Add files">
          <Icon name="file" />
          <span class="unseen">Add files</span>
          <input
            type="file"
            multiple
            class="unseen"
            onChange={(event) => {
              upload(event.currentTarget.files ?? []);
              event.currentTarget.value = "";
            }}
          />
        </label>
        <IconButton icon="smile" label="Insert an emoji" onClick={() => setPopup("emoji")} />
        <IconButton icon="snippet" label="Saved snippets" onClick={() => setPopup("snippets")} />
        <IconButton
          icon="eye"
          label={preview === undefined ? "Preview" : "Go on writing"}
          pressed={preview !== undefined}
          onClick={() =>
            preview !== undefined
              ? setPreview(undefined)
              : void tryTo(async () => {
                  const { rendered } = await call("POST /messages/render", { content: text || " " });
                  setPreview(rendered);
                })
          }
        />
        <span class="grow" />
        <span class="quiet small hint">{settings.value?.enter_sends ? "Enter sends" : "Ctrl+Enter sends"}</span>
        <IconButton
          icon="later"
          label="Send later"
          onClick={() => (isReady ? setPopup("later") : toast("Write a message first."))}
        />
        <button type="button" class="primary" disabled={!isReady} onClick={() => void send()}>
          <Icon name="send" size={16} /> Send
        </button>
      </div>
      {popup === "emoji" && (
        <EmojiPicker
          onClose={() => setPopup(undefined)}
          onPick={({ emoji_name }) => {
            setPopup(undefined);
            insert(`:${emoji_name}: `);
          }}
        />
      )}
      {popup === "snippets" && <Snippets text={text} onPick={insert} onClose={() => setPopup(undefined)} />}
      {popup === "later" && (
        <SendLater
          onClose={() => setPopup(undefined)}
          onPick={async (deliverAtSeconds) => {
            const draftId = message.draftId;
            if (!(await tryTo(() => scheduleMessage(conversation, text.trim(), deliverAtSeconds)))) return;
            setPopup(undefined);
            compose.clear();
            if (draftId !== undefined) await deleteDraft(draftId);
            toast(`It will be sent ${new Date(deliverAtSeconds * 1000).toLocaleString()}.`);
          }}
        />
      )}
    </section>
  );
}

const placeholderFor = (conversation: Conversation) =>
  conversation.kind === "topic"
    ? `Message #${channelName(conversation.channelId)} › ${topicName(conversation.topic)}`
    : conversation.userIds.length === 0
      ? "Message"
      : `Message ${namesOf(conversation.userIds)}`;

const deleteDraft = (id: number) => tryTo(() => call("DELETE /drafts/{draft_id}", { draft_id: id }));

/** Saves the message as a draft on the server, a moment after the last key press. */
function useDraft() {
  const message = compose.message.value;
  /** The conversation and text that were saved last. */
  const savedKey = useRef("");
  useEffect(() => {
    if (!message || !settings.value?.enable_drafts_synchronization) return;
    const { conversation, text, draftId } = message;
    const content = text.trim();
    const key = conversationKey(conversation) + content;
    if (key === savedKey.current || (content === "" && draftId === undefined)) return;
    const timer = setTimeout(async () => {
      savedKey.current = key;
      if (content === "") {
        if (draftId !== undefined) {
          compose.change({ draftId: undefined });
          await deleteDraft(draftId);
        }
        return;
      }
      const draft: Input<"POST /drafts">["drafts"][number] = {
        type: conversation.kind === "topic" ? "stream" : conversation.userIds.length > 0 ? "private" : "",
        to: conversation.kind === "topic" ? [conversation.channelId] : conversation.userIds,
        topic: conversation.kind === "topic" ? conversation.topic : "",
        content,
        timestamp: Math.floor(Date.now() / 1000),
      };
      // A failure is not shown: the text is still in the field, and the next change saves it.
      try {
        if (draftId !== undefined) await call("PATCH /drafts/{draft_id}", { draft_id: draftId, draft });
        else {
          const { ids } = await call("POST /drafts", { drafts: [draft] });
          // The message may have been sent or cleared meanwhile.
          const current = compose.message.value;
          if (
            current &&
            conversationKey(current.conversation) === conversationKey(conversation) &&
            current.text.trim() !== ""
          )
            compose.change({ draftId: ids[0] });
          else if (ids[0] !== undefined) await deleteDraft(ids[0]);
        }
      } catch {
        savedKey.current = "";
      }
    }, draftDelayMs);
    return () => clearTimeout(timer);
  }, [message?.text, message && conversationKey(message.conversation)]);
}
