import { glyphOf } from "../../base/lib/emoji.ts";
import { realmEmoji } from "../../session/store.ts";

export function EmojiGlyph({ type, code, name }: { type: string; code: string; name: string }) {
  if (type === "unicode_emoji")
    return (
      <span class="emoji-glyph" aria-hidden="true">
        {glyphOf(code)}
      </span>
    );
  const customEmoji = realmEmoji.value?.get(code);
  // The only emoji that Zulip itself adds (`zulip_extra_emoji`) is :zulip:.
  const source = customEmoji?.source_url ?? "/static/generated/emoji/images/emoji/unicode/zulip.png";
  return <img class="custom-emoji" src={source} alt="" title={name} />;
}
