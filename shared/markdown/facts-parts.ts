import { loadEmojiTable } from "../emoji/names.ts";
import type { RenderContext } from "./context.ts";
import type { Facts } from "./facts.ts";
import { mayHoldEmoji } from "./inline/emoji.ts";
import { emoticonPattern } from "./inline/emoticons.ts";
import { loadTopLevelDomains } from "./load-domains.ts";
import { loadLinkifiers } from "./load-linkifiers.ts";

type Parts = Pick<Facts, "linkifiers" | "topLevelDomains" | "emoji" | "katex" | "languages" | "highlight">;

const codeFence = /^[> ]*(?:~{3,}|`{3,}) *\{?\.?[a-zA-Z0-9_+]/m;
const mathFence = /^[> ]*(?:~{3,}|`{3,}) *\{?\.?math/im;

/** Loads the heavy parts of the renderer that a text needs; a plain one needs none. */
export async function loadParts(content: string, context: RenderContext): Promise<Parts> {
  const needsEmoji =
    /:[\p{L}\p{N}_\-+]+:/u.test(content) ||
    mayHoldEmoji(content) ||
    (context.translateEmoticons === true && emoticonPattern().test(content));
  const needsTex = content.includes("$$") || mathFence.test(content);
  const needsCode = codeFence.test(content) || (context.defaultCodeLanguage && /^[> ]*(?:~~~|```)/m.test(content));
  const [linkifiers, topLevelDomains, emoji, katex, languages, highlight] = await Promise.all([
    context.linkifiers().then(loadLinkifiers),
    content.includes(".") ? loadTopLevelDomains() : new Set<string>(),
    needsEmoji ? loadEmojiTable() : undefined,
    needsTex ? import("katex").then((module) => module.default) : undefined,
    needsCode ? loadLanguages() : undefined,
    needsCode ? import("./highlight.ts").then((module) => module.highlight) : undefined,
  ]);
  return { linkifiers, topLevelDomains, emoji, katex, languages, highlight };
}

let languages: Promise<Readonly<Record<string, string>>> | undefined;

function loadLanguages(): Promise<Readonly<Record<string, string>>> {
  languages ??= import("./languages.generated.json", { with: { type: "json" } }).then((module) => {
    // Without a prototype: a language may be called "constructor".
    return Object.assign(Object.create(null), module.default);
  });
  return languages;
}
