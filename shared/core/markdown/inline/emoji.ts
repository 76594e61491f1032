import { limits } from "../../../base/limits.ts";
import { codeOfCharacters, extraEmojiNames } from "../../emoji/names.ts";
import { atomicElement, type Element } from "../element.ts";
import type { RenderState } from "../state.ts";
import type { InlineRule } from "./parser.ts";
import { pattern } from "./pattern.ts";

/** Emoticons, and the names of the emoji into which they are translated. */
export const emoticons: Readonly<Record<string, string>> = {
  ":)": "slight_smile",
  "(:": "slight_smile",
  ":(": "frown",
  "<3": "heart",
  ":|": "neutral",
  ":/": "confused",
  ";)": "wink",
  ":D": "smile",
  ":o": "open_mouth",
  ":O": "open_mouth",
  ":P": "stuck_out_tongue",
  ":p": "stuck_out_tongue",
};

const boundaryCharacters = `,.;?!()\\[\\] "'\\n\\t`;
const emoticonAlternatives = Object.keys(emoticons)
  .map((emoticon) => emoticon.replace(/[|()]/g, "\\$&"))
  .join("|");

/** Matches emoticons between whitespace, punctuation, or the text's ends. */
export const emoticonPattern = (): RegExp =>
  new RegExp(`(?<![^${boundaryCharacters}])(?:${emoticonAlternatives})(?![^${boundaryCharacters}])`, "g");

/** `:name:`. Custom emoji take precedence over Zulip's. An unknown name stays as it is, and is not parsed further. */
export const emojiName: InlineRule = pattern(
  ":",
  () => /:([\p{L}\p{N}_\-+]+):/gu,
  ([match, name = ""], { state }) => {
    const customUrl = state.inputs.realmEmoji.get(name);
    if (customUrl !== undefined) return image(state, customUrl, name);
    if (extraEmojiNames.includes(name))
      return image(state, `/static/generated/emoji/images/emoji/unicode/${name}.png`, name);
    const code = state.inputs.emoji?.codeOf(name);
    return code === undefined ? match : span(state, code, name);
  },
);

/** `:)` and the like, if the author's settings translate emoticons. */
export const emoticon: InlineRule = {
  ...pattern("", emoticonPattern, (match, { state }) => {
    const name = emoticons[match[0]];
    const code = name && state.inputs.emoji?.codeOf(name);
    return state.inputs.translateEmoticons && code ? span(state, code, name) : undefined;
  }),
  mayOccur: (text) => /[:;<(]/.test(text),
};

const singleEmoji = "\\p{Emoji}(?:\\p{Emoji_Modifier}|\\uFE0F\\u20E3?|[\\u{E0020}-\\u{E007E}]+\\u{E007F})?";
const emojiSequence = new RegExp(`\\p{RI}\\p{RI}|${singleEmoji}(?:\\u200D(?:\\p{RI}\\p{RI}|${singleEmoji}))*`, "gu");
// Characters that are shown as text by default, such as digits, arrows and the copyright sign.
const textPresentation = /^\P{Emoji_Presentation}\u20E3?$/u;

/** Unicode emoji. Those that Zulip's emoji table lacks stay characters. */
export const emojiCharacter: InlineRule = {
  ...pattern(
    "",
    () => emojiSequence,
    (match, { state }) => {
      if (textPresentation.test(match[0])) return undefined;
      const code = codeOfCharacters(match[0]);
      const name = state.inputs.emoji?.namesOf(code)[0];
      return name === undefined ? undefined : span(state, code, name);
    },
  ),
  mayOccur: (text) => mayContainEmoji(text),
};

/** Whether a string contains characters that may be emoji, not counting digits and the like. */
export function mayContainEmoji(text: string): boolean {
  return /[\u200D\u20E3\uFE0F\u00A9\u00AE\u2000-\u3300]|\p{Emoji_Presentation}|\p{RI}|\p{Extended_Pictographic}/u.test(
    text,
  );
}

/** Browsers take several times as long to show an emoji as to show another element. */
const weight = limits.elementsPerEmoji;

function span({ budget }: RenderState, code: string, name: string): Element {
  const title = name.replaceAll("_", " ");
  const attributes = { class: `emoji emoji-${code}`, title, role: "img", "aria-label": title };
  return atomicElement(budget, "span", attributes, `:${name}:`, { weight });
}

function image({ budget }: RenderState, src: string, name: string): Element {
  const attributes = { src, class: "emoji", alt: `:${name}:`, title: name.replaceAll("_", " ") };
  return atomicElement(budget, "img", attributes, "", { weight });
}
