import { useState } from "preact/hooks";
import type { Input } from "../../base/api/calls.ts";
import { t } from "../../base/languages/language.ts";
import { isTooLong } from "../../base/lib/length.ts";
import { EmojiGlyph } from "../../parts/emoji/emoji-glyph.tsx";
import { EmojiPicker } from "../../parts/emoji/emoji-picker.tsx";
import { Limit } from "../../parts/fields/limit.tsx";
import { Dialog } from "../../parts/parts.tsx";
import { call } from "../../session/session.ts";
import { ownUserId, statuses } from "../../session/store.ts";
import { tryTo } from "../../session/toasts.ts";
import type { PickedEmoji } from "../../state/model.ts";

const maxStatusLength = 60;

const setStatus = (change: Input<"POST /users/me/status">) => tryTo(() => call("POST /users/me/status", change));

/** What people often are: the emoji's code and name, and the text. */
const presets = (): readonly (readonly [string, string, string])[] => [
  ["1f6e0", "working_on_it", t("Busy")],
  ["1f4c5", "calendar", t("In a meeting")],
  ["1f68c", "bus", t("Commuting")],
  ["1f915", "hurt", t("Out sick")],
  ["1f334", "palm_tree", t("On vacation")],
  ["1f3e0", "house", t("Working remotely")],
  ["1f3e2", "office", t("At the office")],
];

/** The user's own status: an emoji and a few words. */
export function StatusForm({ onSet }: { onSet?: () => void }) {
  const status = statuses.value?.get(ownUserId.value ?? 0);
  const [text, setText] = useState(status?.status_text ?? "");
  const [picked, setPicked] = useState<PickedEmoji>();
  const [picking, setPicking] = useState(false);
  const emoji = picked ?? status;
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void setStatus({ status_text: text.trim(), ...picked }).then((succeeded) => succeeded && onSet?.());
      }}
    >
      {!onSet && <h2>{t("Status")}</h2>}
      <div class="form-row">
        <div class="anchored">
          <button type="button" aria-label={t("Choose an emoji for your status")} onClick={() => setPicking(true)}>
            {emoji?.emoji_name ? (
              <EmojiGlyph type={emoji.reaction_type} code={emoji.emoji_code} name={emoji.emoji_name} />
            ) : (
              "🙂"
            )}
          </button>
          {picking && (
            <EmojiPicker
              onClose={() => setPicking(false)}
              onPick={(emoji) => {
                setPicking(false);
                setPicked(emoji);
              }}
            />
          )}
        </div>
        <input
          class="grow"
          autofocus={onSet !== undefined}
          aria-label={t("Status")}
          placeholder={t("What are you doing?")}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </div>
      <Limit text={text} max={maxStatusLength} />
      <ul class="people-list">
        {presets().map(([code, name, label]) => (
          <li key={name}>
            <button
              type="button"
              onClick={() => {
                setText(label);
                setPicked({ emoji_name: name, emoji_code: code, reaction_type: "unicode_emoji" });
              }}
            >
              <EmojiGlyph type="unicode_emoji" code={code} name={name} /> {label}
            </button>
          </li>
        ))}
      </ul>
      <div class="dialog-actions">
        <button
          type="button"
          onClick={() => {
            setText("");
            setPicked(undefined);
            void setStatus({ status_text: "", emoji_name: "" }).then((succeeded) => succeeded && onSet?.());
          }}
        >
          {t("Clear")}
        </button>
        <button type="submit" class="primary" disabled={isTooLong(text, maxStatusLength)}>
          {t("Set")}
        </button>
      </div>
    </form>
  );
}

export const StatusDialog = ({ onClose }: { onClose: () => void }) => (
  <Dialog title={t("Your status")} onClose={onClose}>
    <StatusForm onSet={onClose} />
  </Dialog>
);
