import { fold, foldWrittenOut } from "../../../base/folding.ts";
import { apostrophes, unspaced } from "./scripts.ts";

/**
 * Cuts texts into what can be searched for. The index, searches, the highlighting of matches, and alert words use it.
 *
 * Words are cut into atoms where their case changes, between letters and digits, and at punctuation. In scripts that are written
 * without spaces every character is an atom, and so is an emoji. Words that are connected are also known as one, from each of their
 * atoms on: "MessageBox", "message_box" and "message-box" have the atoms "message" and "box", and the compound "messagebox". So is a
 * number that is written in groups.
 */
export interface Atom {
  kind: "word" | "number" | "character" | "emoji";
  /** The folded text. */
  term: string;
  /** The other folding of a word with letters such as ä: with "ae" for it. */
  variant?: string | undefined;
  /** The position in the source, in UTF-16 units. */
  from: number;
  to: number;
  /** What is between the previous atom and this one. A connector makes both one word, such as a hyphen. */
  gap: "none" | "connector" | "punctuation" | "space";
}

/** Connected atoms, without the punctuation between them. */
export type Compound = Pick<Atom, "term" | "variant" | "from" | "to">;

export interface Analysis {
  atoms: Atom[];
  compounds: Compound[];
}

const ignored = "\\u00ad\\u200b-\\u200d\\u2060\\ufe00-\\ufe0f\\ufeff";
/** Symbols that stand for characters of scripts without spaces, such as ㈱, ㌔ and ㍿, and those that PDF files have for them. */
const squared =
  "[\\u2f00-\\u2fd5\\u3200-\\u321c\\u322a-\\u3247\\u3260-\\u327e\\u328a-\\u3296\\u3298\\u329a-\\u32b0\\u32d0-\\u3357\\u337b-\\u337f]";
/** A character of a script without spaces; Korean letters make a syllable, and marks of Japanese ones belong to them. */
const character = `[\\u1100-\\u115f\\ua960-\\ua97c][\\u1160-\\u11a7\\ud7b0-\\ud7c6]+[\\u11a8-\\u11ff\\ud7cb-\\ud7fb]*|(?:${unspaced}|${squared})[\\u3099\\u309a\\uff9e\\uff9f]*`;
/** Invisible characters at which words may be cut: the zero-width space, and the one between the parts of Persian words. */
const invisibleCut = "\\u200b|(?<=\\p{Script=Arabic}\\p{M}*)\\u200c";
/** Symbols that stand for letters, such as № and ㎏. */
const letterlike = "\\u2100-\\u2121\\u2123-\\u214f\\u24b6-\\u24e9\\u3371-\\u337a\\u3380-\\u33df\\u33ff";
const keycap = "[\\d#*]\\ufe0f?\\u20e3";
const wordCharacter = `(?!${unspaced}|${invisibleCut}|[${apostrophes}]|${keycap})[\\p{L}\\p{M}\\p{N}${letterlike}${ignored}]`;
const emoji = `\\p{RI}\\p{RI}|${keycap}|(?=\\D)\\p{Extended_Pictographic}`;
/** Emoji, of which several may be joined to one. */
export const emojiCluster = new RegExp(
  `((?:${emoji})[\\p{Emoji_Modifier}\\ufe0f]*(?:\\u200d(?:${emoji})[\\p{Emoji_Modifier}\\ufe0f]*)*)`,
  "u",
);
const pieces = new RegExp(`(?<character>${character})|(?<emoji>${emoji})|(?:${wordCharacter})+`, "gu");
const upper = `[\\p{Lu}\\p{Lt}][\\p{M}${ignored}]*`;
const lower = `[\\p{Ll}\\p{Lo}\\p{Lm}][\\p{M}${ignored}]*`;
/** Digits; capitals up to the one that begins the next part; a capital and small letters; capitals. */
const parts = new RegExp(
  `\\p{N}[\\p{N}\\p{M}${ignored}]*|(?:${upper})+(?=${upper}${lower})|(?:${upper})?(?:${lower})+|(?:${upper})+|[^\\p{N}]`,
  "gu",
);
/** Makes one word of two. */
const connector = new RegExp(`^[\\p{Pc}\\p{Pd}'’‛＇\`´·׳״${apostrophes}]$`, "u");
const hebrew = /\p{Script=Hebrew}/u;
/** Digits in groups of three, such as 1,234,567. */
const groupedNumber =
  /(?<!\p{Nd})(?<whole>\p{Nd}{1,3}(?:[,.'’_\u00a0\u202f]\p{Nd}{3})+)(?!\p{Nd})(?:[,.](?<fraction>\p{Nd}+)(?![,.]?\p{Nd}))?/gu;
const notDigits = /\P{Nd}/gu;
const ungroupedOf = (whole: string, fraction?: string) =>
  `${whole.replace(notDigits, "")}${fraction === undefined ? "" : `.${fraction}`}`;
/** A number without what separates its groups, with a full stop before its fraction; undefined if a text is not such a number. */
export function ungrouped(text: string): string | undefined {
  const [match] = text.matchAll(groupedNumber);
  return match?.[0] === text ? ungroupedOf(match.groups?.whole ?? "", match.groups?.fraction) : undefined;
}
/** Also the colours of people's skin, which stand between the emoji that are joined to one. */
const ignorable = /[\p{Default_Ignorable_Code_Point}\p{Emoji_Modifier}]/gu;
const startsWithNumber = /^\p{N}/u;
const singlePart = new RegExp(`^(?:(?:${upper})?(?:${lower})+|(?:${upper})+)$`, "u");
/** Names of programming languages and programs whose last characters are what distinguishes them: C++, C#. */
const spacedLetter = `(?!${unspaced})[\\p{L}\\p{N}]`;
const signedName = new RegExp(`(?<!${spacedLetter}|\\p{M})(?:${spacedLetter}){1,30}(?:[+＋]{2}|[#＃])`, "gu");

const notInTerms = /[^\p{L}\p{M}\p{N}]/gu;
const notInCompounds = new RegExp(`[^\\p{L}\\p{M}\\p{N}${letterlike}]`, "gu");

/** Longer words are known by their beginning, without half a character at its end: sort keys of the index are limited to 1 KB. */
const maxTermCharacters = 64;
/** More than the characters that a term is of, so that a chain of thousands of words is cut in linear time. */
const maxCompoundSource = 4 * maxTermCharacters;
export const cut = (term: string) =>
  term.length > maxTermCharacters ? term.slice(0, maxTermCharacters).replace(/[\ud800-\udbff]$/, "") : term;

const isAscii = (text: string) => !/[^\0-\x7f]/.test(text);
const termOf = (word: string) => cut(isAscii(word) ? word.toLowerCase() : fold(word).replace(notInTerms, ""));
function variantOf(word: string, term: string): string | undefined {
  const variant = foldWrittenOut(word);
  return variant === undefined || variant === term ? undefined : cut(variant.replace(notInTerms, ""));
}

/** What is found whole, if a text is the name of a language such as C++. */
export const signedNameOf = (text: string): Atom | undefined =>
  text.match(signedName)?.[0] === text
    ? { kind: "word", term: fold(text), from: 0, to: text.length, gap: "space" }
    : undefined;

/** Characters that may also be written as several are several, such as ໝ and ำ; not those of Korean and Japanese. */
const charactersIn = (term: string): readonly string[] =>
  term.length === 1 && /[\u3041-\u30ff\u4e00-\u9fff\uac00-\ud7a3]/.test(term)
    ? [term]
    : /[\u1100-\u11ff\ua960-\ua97c\uac00-\ud7fb]/.test(term)
      ? [term]
      : /[\u3041-\u30ff]/.test(term)
        ? (term.match(/[\s\S][\u3099\u309a]?/gu) ?? [])
        : [...term.normalize("NFD")];

export function analyze(text: string): Analysis {
  const atoms: Atom[] = [];
  const compounds: Compound[] = [];
  let end = 0;
  /** The atoms from this one on are connected. */
  let groupStart = 0;
  const addCompound = (from: number, to: number) => {
    const source = text.slice(from, Math.min(to, from + maxCompoundSource)).replace(notInCompounds, "");
    const term = termOf(source);
    const variant = variantOf(source, term);
    compounds.push({ term, ...(variant && { variant }), from, to });
  };
  const closeGroup = () => {
    for (const { from } of atoms.slice(groupStart, -1)) addCompound(from, end);
    groupStart = atoms.length;
  };
  const append = (kind: Atom["kind"], source: string, from: number) => {
    const term = kind === "emoji" ? source.replace("\ufe0f", "") : termOf(source);
    if (term === "") return;
    const gap = atoms.length === 0 ? "space" : gapOf(text, end, from);
    const before = atoms.at(-1)?.kind;
    const areWords = isSpaced(kind) && isSpaced(before) && !(kind === "number" && before === "number");
    const isConnected = areWords && (gap === "none" || gap === "connector");
    if (!isConnected) closeGroup();
    const variant = kind === "word" ? variantOf(source, term) : undefined;
    end = from + source.length;
    // A hyphen connects neither numbers nor the characters of scripts without spaces.
    const isPunctuation = gap === "connector" && !isConnected;
    const atom: Atom = {
      kind,
      term,
      ...(variant && { variant }),
      from,
      to: end,
      gap: isPunctuation ? "punctuation" : gap,
    };
    if (kind !== "character") atoms.push(atom);
    else
      for (const [index, part] of charactersIn(term).entries())
        atoms.push(index === 0 ? { ...atom, term: part } : { ...atom, term: part, gap: "none" });
  };
  for (const { 0: piece, index, groups } of text.matchAll(pieces)) {
    if (groups?.character !== undefined) append("character", piece, index);
    else if (groups?.emoji !== undefined) append("emoji", piece, index);
    else for (const part of partsOf(piece)) append(part.kind, part.text, index + part.index);
    if (groups?.character === undefined && groups?.emoji === undefined)
      for (const { from, to } of letterRunsOf(piece)) addCompound(index + from, index + to);
  }
  closeGroup();
  for (const { 0: name, index } of text.matchAll(signedName))
    compounds.push({ term: fold(name), from: index, to: index + name.length });
  for (const { 0: number, index, groups } of text.matchAll(groupedNumber)) {
    const { whole = "", fraction } = groups ?? {};
    addCompound(index, index + whole.length);
    if (fraction !== undefined)
      compounds.push({ term: cut(fold(ungroupedOf(whole, fraction))), from: index, to: index + number.length });
  }
  return { atoms, compounds };
}

const isSpaced = (kind: Atom["kind"] | undefined) => kind === "word" || kind === "number";

function gapOf(text: string, end: number, from: number): Atom["gap"] {
  const between = text.slice(end, from);
  if (between === "") return "none";
  if (between === " ") return "space";
  const visible = between.replace(ignorable, "");
  if (visible === "") return "none";
  // Abbreviations in Hebrew are written with a quotation mark.
  if (visible === '"' && hebrew.test(text.slice(Math.max(0, end - 3), end)) && hebrew.test(text.charAt(from)))
    return "connector";
  return connector.test(visible) ? "connector" : /\s/.test(visible) ? "space" : "punctuation";
}

/** Words of more parts are codes, such as hashes, whose parts mean nothing. */
const maxParts = 6;

function partsOf(piece: string): { kind: "word" | "number"; text: string; index: number }[] {
  if (singlePart.test(piece)) return [{ kind: "word", text: piece, index: 0 }];
  const found = [...piece.matchAll(parts)];
  if (found.length > maxParts) return [{ kind: "word", text: piece, index: 0 }];
  return found.map(({ 0: text, index }) => ({ kind: startsWithNumber.test(text) ? "number" : "word", text, index }));
}

/** Several parts without a number between them. */
function letterRunsOf(piece: string): { from: number; to: number }[] {
  const found = partsOf(piece);
  const runs: { from: number; to: number; count: number }[] = [];
  for (const [position, { kind, text, index }] of found.entries()) {
    if (kind === "number") continue;
    const last = runs.at(-1);
    if (last && found[position - 1]?.kind === "word")
      Object.assign(last, { to: index + text.length, count: last.count + 1 });
    else runs.push({ from: index, to: index + text.length, count: 1 });
  }
  return runs.filter(({ count }) => count > 1);
}
