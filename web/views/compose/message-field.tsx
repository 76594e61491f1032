import type { RefObject, TargetedKeyboardEvent } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "../../languages/language.ts";
import { allEmoji } from "../../lib/emoji.ts";
import { currentState } from "../../session.ts";
import type { Recipient } from "../../state/recipient.ts";
import { topicsByChannel } from "../navigation/channel-topics.ts";
import { Suggestions } from "../parts/floating.tsx";
import { type Suggestion, suggestionsFor } from "./completion.ts";
import { compose } from "./compose-state.ts";
import { applyFormat, continueList, formatOf, hasModifier } from "./formatting.ts";

/** The field with the text of a message, with completions at the cursor. */

/** The focus request that was carried out last. */
let handledFocusRequest = 0;
/** The field that was open last: whether it had the focus when it was removed. Undefined if the box was closed. */
let formerField: { hadFocus: boolean } | undefined;

/** Called when the box is rendered closed. */
export const noteClosed = () => {
  formerField = undefined;
};

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
  /** What the suggestions, or their absence, answer. Undefined if they were closed. */
  const asked = useRef<{ text: string; cursor: number } | undefined>(undefined);
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
    // Who asked to write to people names them first.
    const isToNobody = recipient.kind === "direct" && recipient.userIds.length === 0;
    const people = isToNobody && document.getElementById(describedBy)?.querySelector("input");
    (people || field.current)?.focus();
  }, [request]);

  const closeSuggestions = () => {
    setSuggestions([]);
    asked.current = undefined;
  };
  const updateSuggestions = () => {
    const area = field.current;
    if (!area || area.selectionStart !== area.selectionEnd) return closeSuggestions();
    asked.current = { text: area.value, cursor: area.selectionStart };
    setSuggestions(suggestionsFor(area.value, area.selectionStart, recipient));
    setChosenIndex(0);
  };
  /** Whether the text and the cursor are those that the suggestions were made for. */
  const isAsAsked = () => {
    const area = field.current;
    return (
      area?.value === asked.current?.text &&
      area?.selectionStart === asked.current?.cursor &&
      area?.selectionEnd === asked.current?.cursor
    );
  };
  // Topics and emoji are fetched when they are first asked for.
  useEffect(() => {
    if (asked.current && suggestions.length === 0 && isAsAsked()) updateSuggestions();
  }, [topicsByChannel.value, allEmoji.value]);

  const accept = (suggestion: Suggestion) => {
    const area = field.current;
    const isMeant = isAsAsked();
    closeSuggestions();
    if (!area || !isMeant) return;
    area.setRangeText(suggestion.text, suggestion.from, area.selectionStart, "end");
    onText(area.value);
    area.focus();
  };

  const onKeyDown = (event: TargetedKeyboardEvent<HTMLTextAreaElement>) => {
    // The keys that compose a character, and the Enter that ends it, do nothing else.
    if (event.isComposing) return;
    const current = isAsAsked() ? suggestions[chosenIndex] : undefined;
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
        closeSuggestions();
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
    if (event.key === "Enter" && isSendKey(event)) {
      event.preventDefault();
      onSendKey();
      return;
    }
    if (event.key === "Enter" && !hasModifier(event) && continueList(event.currentTarget)) event.preventDefault();
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
          onBlur={() => setTimeout(closeSuggestions, 150)}
          onKeyDown={onKeyDown}
          onKeyUp={() => asked.current && !isAsAsked() && closeSuggestions()}
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
          label={t("Suggestions")}
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
