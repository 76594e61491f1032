import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { allEmoji, findEmoji, loadEmoji, popularEmoji } from "../../lib/emoji.ts";
import { currentState } from "../../session.ts";
import type { PickedEmoji } from "../../state/model.ts";
import { EmojiGlyph } from "./emoji-glyph.tsx";
import { Floating } from "./floating.tsx";

const maxChoices = 120;

/** Shows popular emoji, or those that match a search. */
export function EmojiPicker({ onPick, onClose }: { onPick: (emoji: PickedEmoji) => void; onClose: () => void }) {
  const [text, setText] = useState("");
  const field = useRef<HTMLInputElement>(null);
  // In a layout effect, so that a key that is pressed right after the picker opens reaches its field.
  useLayoutEffect(() => {
    void loadEmoji(String(currentState().realm.server_emoji_data_url));
    field.current?.focus();
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
    <Floating
      class="emoji-picker"
      onClose={onClose}
      onKeyDown={(event) => {
        // The browser closes the picker by Escape, which has no other effect then.
        if (event.key === "Escape") event.stopPropagation();
        if (event.key === "Enter" && event.target instanceof HTMLInputElement && choices[0]) {
          event.preventDefault();
          onPick(choices[0]);
        }
      }}
    >
      <input
        ref={field}
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
    </Floating>
  );
}
