import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "../../base/languages/language.ts";
import { loadEmoji } from "../../base/lib/emoji.ts";
import { currentState } from "../../session/store.ts";
import type { PickedEmoji } from "../../state/model.ts";
import { Floating } from "../floating.tsx";
import { lazy } from "../lazy.tsx";
import { rememberEmoji } from "./recent-emoji.ts";

/** Offers all emoji that the organization has, by category, and those that match a search. */

const EmojiList = lazy(async () => (await import("./emoji-list.tsx")).EmojiList);

export function EmojiPicker({ onPick, onClose }: { onPick: (emoji: PickedEmoji) => void; onClose: () => void }) {
  const [text, setText] = useState("");
  const field = useRef<HTMLInputElement>(null);
  // In a layout effect, so that a key that is pressed right after the picker opens reaches its field.
  useLayoutEffect(() => {
    void loadEmoji(String(currentState().realm.server_emoji_data_url));
    field.current?.focus();
  }, []);
  return (
    <Floating
      class="emoji-picker"
      role="dialog"
      aria-label={t("Emoji")}
      onClose={onClose}
      // The browser closes the picker by Escape. No key has another effect while the picker is open.
      onKeyDown={(event) => event.stopPropagation()}
    >
      <input
        ref={field}
        type="search"
        placeholder={t("Search emoji")}
        aria-label={t("Search emoji")}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.isComposing || (event.key !== "Enter" && event.key !== "ArrowDown")) return;
          event.preventDefault();
          const first = event.currentTarget.parentElement?.querySelector<HTMLElement>("[data-code]");
          if (event.key === "Enter") first?.click();
          else first?.focus();
        }}
      />
      <EmojiList
        query={text.trim().replaceAll(":", "")}
        onPick={(emoji) => {
          rememberEmoji(emoji);
          onPick(emoji);
        }}
        onLeave={() => field.current?.focus()}
      />
    </Floating>
  );
}
