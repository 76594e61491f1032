import type { RefObject, TargetedKeyboardEvent } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { allEmoji } from "../../lib/emoji.ts";
import { currentState } from "../../session.ts";
import type { Recipient } from "../../state/recipient.ts";
import { topicsByChannel } from "../navigation/channel-topics.ts";
import { Suggestions } from "../parts/floating.tsx";
import { type Suggestion, suggestionsFor } from "./completion.ts";
import { compose } from "./compose-state.ts";
import { applyFormat, formatOf } from "./formatting.ts";

/** The field with the text of a message, with completions at the cursor. */

/** The focus request that was carried out last. */
let handledFocusRequest = 0;
/** The field that was open last: whether it had the focus when it was removed. Undefined if the box was closed. */
let formerField: { hadFocus: boolean } | undefined;

/** Called when the box is rendered closed. */
export const noteClosed = () => {
  formerField = undefined;
};

const hasModifier = ({ altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent) => altKey || ctrlKey || metaKey || shiftKey;

export function MessageField({
  field,
  label,
  describedBy,
  placeholder,
  text,
  recipient,
  onText,
  onSendKey,
  onEditLast,
  onFiles,
  isSendKey,
}: {
  field: RefObject<HTMLTextAreaElement | null>;
  label: string;
  describedBy: string;
  placeholder: string;
  text: string;
  recipient: Recipient;
  onText: (text: string) => void;
  onSendKey: () => void;
  /** Called when ↑ is pressed in the empty field. */
  onEditLast: () => void;
  onFiles: (files: readonly File[]) => void;
  isSendKey: (event: KeyboardEvent) => boolean;
}) {
  const [suggestions, setSuggestions] = useState<readonly Suggestion[]>([]);
  const [chosenIndex, setChosenIndex] = useState(0);
  /** The text for which there were no suggestions. */
  const unanswered = useRef<string | undefined>(undefined);
  // In a layout effect, so that a key that is pressed right after the box opens reaches the field.
  const request = compose.focusRequests.value;
  useLayoutEffect(() => {
    // The keys that a user who writes goes on pressing after a change of the view belong into the field, too. Others go to the
    // messages: a conversation that is opened to be read does not take them.
    if (formerField?.hadFocus) field.current?.focus();
    const area = field.current;
    return () => {
      formerField = { hadFocus: document.activeElement === area };
    };
  }, []);
  useLayoutEffect(() => {
    if (request === handledFocusRequest) return;
    handledFocusRequest = request;
    field.current?.focus();
  }, [request]);

  const updateSuggestions = () => {
    const area = field.current;
    const found =
      area && area.selectionStart === area.selectionEnd
        ? suggestionsFor(area.value, area.selectionStart, recipient)
        : [];
    setSuggestions(found);
    setChosenIndex(0);
    unanswered.current = found.length === 0 ? area?.value : undefined;
  };
  // Topics and emoji are fetched when they are first asked for.
  useEffect(() => {
    if (unanswered.current && unanswered.current === field.current?.value) updateSuggestions();
  }, [topicsByChannel.value, allEmoji.value]);

  const accept = (suggestion: Suggestion) => {
    const area = field.current;
    if (!area) return;
    const cursor = suggestion.from + suggestion.text.length;
    onText(area.value.slice(0, suggestion.from) + suggestion.text + area.value.slice(area.selectionStart));
    setSuggestions([]);
    requestAnimationFrame(() => {
      area.focus();
      area.setSelectionRange(cursor, cursor);
    });
  };

  const onKeyDown = (event: TargetedKeyboardEvent<HTMLTextAreaElement>) => {
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
    if (event.key === "ArrowUp" && event.currentTarget.value === "" && !hasModifier(event)) {
      event.preventDefault();
      onEditLast();
      return;
    }
    const format = formatOf(event);
    if (format) {
      event.preventDefault();
      applyFormat(event.currentTarget, format);
      return;
    }
    // Enter that ends the composition of a character is not meant to send.
    if (event.key === "Enter" && !event.isComposing && isSendKey(event)) {
      event.preventDefault();
      onSendKey();
    }
  };

  return (
    <div class="anchored">
      <div class="growing-field" data-text={text}>
        <textarea
          ref={field}
          aria-label={label}
          aria-describedby={describedBy}
          aria-autocomplete="list"
          aria-controls={suggestions.length > 0 ? "suggestions" : undefined}
          aria-activedescendant={suggestions[chosenIndex] && `suggestions-${chosenIndex}`}
          placeholder={placeholder}
          dir="auto"
          maxLength={Number(currentState().realm.max_message_length)}
          value={text}
          onInput={(event) => {
            onText(event.currentTarget.value);
            updateSuggestions();
          }}
          onClick={updateSuggestions}
          // Delayed, so that a suggestion that takes the focus is not removed before it is chosen.
          onBlur={() => setTimeout(() => setSuggestions([]), 150)}
          onKeyDown={onKeyDown}
          onPaste={(event) => {
            const files = [...(event.clipboardData?.files ?? [])];
            if (files.length === 0) return;
            event.preventDefault();
            onFiles(files);
          }}
        />
      </div>
      {suggestions.length > 0 && (
        <Suggestions
          id="suggestions"
          label="Suggestions"
          choices={suggestions}
          chosenIndex={chosenIndex}
          onChoose={accept}
        >
          {({ glyph, label, detail }) => (
            <>
              {glyph && <span class="glyph">{glyph}</span>}
              <strong>{label}</strong>
              {detail && <span class="quiet"> {detail}</span>}
            </>
          )}
        </Suggestions>
      )}
    </div>
  );
}
