import type { RefObject, TargetedKeyboardEvent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../../base/languages/language.ts";
import { allEmoji } from "../../base/lib/emoji.ts";
import { Suggestions } from "../../parts/floating.tsx";
import { perSession } from "../../session/session.ts";
import type { Recipient } from "../../state/recipient.ts";
import { topicsByChannel } from "../conversations/channel-topics.ts";
import { type Suggestion, suggestionsFor } from "./completion.ts";
import { applyFormat, continueList, formatOf, hasModifier } from "./formatting.ts";
import type { paste } from "./pasting.ts";

/** The field with the text of a message, with completions at the cursor. */

/** What makes more of pasted texts, once it is loaded; until then they are pasted as they are. */
const pasting = perSession((): { paste?: typeof paste } => ({}));
async function loadPasting(): Promise<void> {
  const loaded = pasting();
  loaded.paste ??= (await import("./pasting.ts")).paste;
}

export function MessageField({
  field,
  label,
  describedBy,
  placeholder,
  text,
  recipient,
  onText,
  onSubmitKey,
  isSubmitKey,
  onEscape,
  onEditLast,
  onFiles,
}: {
  field: RefObject<HTMLTextAreaElement | null>;
  label: string;
  describedBy: string | undefined;
  placeholder: string;
  text: string;
  recipient: Recipient;
  onText: (text: string) => void;
  onSubmitKey: () => void;
  isSubmitKey: (event: KeyboardEvent) => boolean;
  onEscape: () => void;
  /** Called when ↑ is pressed in the empty field. */
  onEditLast: (() => void) | undefined;
  onFiles: (files: readonly File[]) => void;
}) {
  const [suggestions, setSuggestions] = useState<readonly Suggestion[]>([]);
  const [chosenIndex, setChosenIndex] = useState(0);
  /** What the suggestions, or their absence, answer. Undefined if they were closed. */
  const asked = useRef<{ text: string; cursor: number } | undefined>(undefined);
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
      onEscape();
      return;
    }
    if (onEditLast && event.key === "ArrowUp" && event.currentTarget.value === "" && !hasModifier(event)) {
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
    if (event.key === "Enter" && isSubmitKey(event)) {
      event.preventDefault();
      onSubmitKey();
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
          value={text}
          onInput={(event) => {
            onText(event.currentTarget.value);
            updateSuggestions();
          }}
          onFocus={() => void loadPasting().catch(() => {})}
          onClick={updateSuggestions}
          // Delayed, so that a suggestion that takes the focus is not removed before it is chosen.
          onBlur={() => setTimeout(closeSuggestions, 150)}
          onKeyDown={onKeyDown}
          onKeyUp={() => asked.current && !isAsAsked() && closeSuggestions()}
          onPaste={(event) => {
            const files = [...(event.clipboardData?.files ?? [])];
            if (files.length > 0) {
              event.preventDefault();
              onFiles(files);
            } else if (event.clipboardData && pasting().paste?.(event.currentTarget, event.clipboardData))
              event.preventDefault();
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
