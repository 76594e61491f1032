import { loadEmojiTable } from "../emoji/names.ts";
import type { RenderContext } from "./context.ts";
import type { Facts } from "./facts.ts";
import { mayHoldEmoji } from "./inline/emoji.ts";
import { emoticonPattern } from "./inline/emoticons.ts";
import type { Linkifier } from "./linkifiers.ts";

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
    loadLinkifiers(context),
    content.includes(".") ? loadTopLevelDomains() : new Set<string>(),
    needsEmoji ? loadEmojiTable() : undefined,
    needsTex ? import("katex").then((module) => module.default) : undefined,
    needsCode ? loadLanguages() : undefined,
    needsCode ? import("./highlight.ts").then((module) => module.highlight) : undefined,
  ]);
  return { linkifiers, topLevelDomains, emoji, katex, languages, highlight };
}

const compiled = new Map<string, Linkifier | undefined>();

async function loadLinkifiers(context: RenderContext): Promise<Linkifier[]> {
  const linkifiers = await context.linkifiers();
  if (linkifiers.length === 0) return [];
  const { compileLinkifier } = await import("./linkifiers.ts");
  // Compiling takes longer than rendering; a process that serves many organizations forgets them all now and then.
  if (compiled.size > 500) compiled.clear();
  return linkifiers.flatMap(({ pattern, urlTemplate }) => {
    const key = JSON.stringify([pattern, urlTemplate]);
    if (!compiled.has(key)) compiled.set(key, compileLinkifier(pattern, urlTemplate));
    return compiled.get(key) ?? [];
  });
}

let domains: Promise<ReadonlySet<string>> | undefined;

/** The top-level domains, without those that are common file endings. */
export function loadTopLevelDomains(): Promise<ReadonlySet<string>> {
  domains ??= import("tlds", { with: { type: "json" } }).then((module) => {
    const names = new Set<string>(module.default);
    for (const ending of ["java", "md", "mov", "py", "zip"]) names.delete(ending);
    return names;
  });
  return domains;
}

let languages: Promise<Readonly<Record<string, string>>> | undefined;

function loadLanguages(): Promise<Readonly<Record<string, string>>> {
  languages ??= import("./languages.generated.json", { with: { type: "json" } }).then((module) => {
    // Without a prototype: a language may be called "constructor".
    return Object.assign(Object.create(null), module.default);
  });
  return languages;
}
