import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { allEmoji, findEmoji, loadEmoji, popularEmoji } from "../../lib/emoji.ts";
import { currentState } from "../../session.ts";
import type { PickedEmoji } from "../../state/model.ts";
import { EmojiGlyph } from "./emoji-glyph.tsx";

const maxChoices = 120;

/** Shows popular emoji, or those that match a search. */
export function EmojiPicker({ onPick, onClose }: { onPick: (emoji: PickedEmoji) => void; onClose: () => void }) {
  const [text, setText] = useState("");
  const frame = useRef<HTMLDivElement>(null);
  // In a layout effect, so that a key that is pressed right after the picker opens reaches its field.
  useLayoutEffect(() => {
    const previousFocus = document.activeElement as HTMLElement | null;
    const picker = frame.current;
    void loadEmoji(String(currentState().realm.server_emoji_data_url));
    frame.current?.querySelector("input")?.focus();
    frame.current?.scrollIntoView({ block: "nearest" });
    const closeOnOutsideClick = (event: MouseEvent) => {
      if (!frame.current?.contains(event.target as Node)) onClose();
    };
    // Deferred, so that the click that opened the picker does not close it.
    const timer = setTimeout(() => document.addEventListener("mousedown", closeOnOutsideClick));
    return () => {
      clearTimeout(timer);
      document.removeEventListener("mousedown", closeOnOutsideClick);
      // The focus is nowhere if the picker was removed before this runs.
      if (picker?.contains(document.activeElement) || document.activeElement === document.body)
        previousFocus?.focus({ preventScroll: true });
    };
  }, []);
  const query = text.trim().replaceAll(":", "");
  const customEmoji = [...currentState().realmEmoji.values()]
    .filter(({ deactivated, name }) => !deactivated && name.includes(query.toLowerCase()))
    .map(({ name, id }) => ({ emoji_name: name, emoji_code: id, reaction_type: "realm_emoji" as const }));
  const unicodeEmoji = query ? findEmoji(query, maxChoices) : [...popularEmoji, ...allEmoji.value.slice(0, maxChoices)];
  const choices: PickedEmoji[] = [
    ...customEmoji,
    ...unicodeEmoji.map(({ name, code }) => ({
      emoji_name: name,
      emoji_code: code,
      reaction_type: "unicode_emoji" as const,
    })),
  ];
  return (
    <div
      class="emoji-picker"
      ref={frame}
      onKeyDown={(event) => {
        if (event.key === "Escape") {
          event.stopPropagation();
          onClose();
        }
        if (event.key === "Enter" && event.target instanceof HTMLInputElement && choices[0]) {
          event.preventDefault();
          onPick(choices[0]);
        }
      }}
    >
      <input
        type="search"
        placeholder="Search emoji"
        aria-label="Search emoji"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <div class="emoji-grid">
        {choices.map((emoji) => (
          <button
            key={`${emoji.reaction_type}:${emoji.emoji_code}:${emoji.emoji_name}`}
            type="button"
            title={`:${emoji.emoji_name}:`}
            aria-label={emoji.emoji_name}
            onClick={() => onPick(emoji)}
          >
            <EmojiGlyph type={emoji.reaction_type} code={emoji.emoji_code} name={emoji.emoji_name} />
          </button>
        ))}
        {choices.length === 0 && <p class="quiet">No matching emoji.</p>}
      </div>
    </div>
  );
}
