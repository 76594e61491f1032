import { fold } from "../../../base/folding.ts";
import { ProcessCache } from "../../../base/process-cache.ts";
import { type Analysis, type Atom, analyze, emojiCluster, signedNameOf, ungrouped } from "./analyze.ts";
import { stemmingOf } from "./stems.ts";
import { isStopWord } from "./stop-words.ts";

/** A phrase may stand over the end of a line, and white space in HTML is shown as one space. */
export const withSingleSpaces = (text: string): string => text.replace(/\s+/g, " ");

/** How the words of a text are compared with a word that is searched for. */
export interface WordTest {
  /** The word as it is, and its other folding. */
  exact: readonly string[];
  /** Words that begin with one of these are found, too. */
  prefixes: readonly string[];
  stem?: { stem: string; beginnings: readonly string[]; stemOf(word: string): string } | undefined;
}

/**
 * Something that is to be found: a word, a number, an emoji, a character, or several of them without spaces between them; or one or
 * the other.
 */
export type Unit = Single | Sequence | { kind: "either"; units: readonly [Single | Sequence, Single | Sequence] };

interface Single {
  kind: "single";
  atom: Atom["kind"];
  test: WordTest;
}

export interface Sequence {
  kind: "sequence";
  atoms: readonly Atom[];
  /** The atoms in a row, as of `joinAtoms`. */
  text: string;
  /** Whether the last atom may be the beginning of one. */
  completes: boolean;
}

/**
 * Atoms in a row: with nothing between those that are connected, so that "MessageBox" is "message-box" and "messagebox", and with a
 * full stop for other punctuation. Calls `place` with the position of each.
 */
export function joinAtoms(atoms: readonly Atom[], place: (start: number) => void = () => {}): string {
  let text = "";
  for (const [index, { gap, term }] of atoms.entries()) {
    text += index === 0 ? "" : gap === "space" ? " " : gap === "punctuation" ? "." : "";
    place(text.length);
    text += term;
  }
  return text;
}

export interface Search {
  units: readonly Unit[];
  /** Folded, with single spaces; found anywhere, also within words. */
  phrases: readonly string[];
}

/** Of so many characters on, the last word of a search finds words that begin with it. */
const minPrefix = 3;
/** Words of shorter stems have little in common, and are read with many others. */
const minStem = 3;

interface SearchOptions {
  /** The language of the organization, whose words are stemmed. */
  language: string;
  /** Whether the last word may be the beginning of one. */
  completes: boolean;
  /** Without it, an emoji is found by the name that is shown. It must be the same in all searches. */
  emojiOf?: EmojiNames | undefined;
}

const searches = new ProcessCache<string, Search>({ minRetained: 20 });

/** Parses a search: words and names that are to be found anywhere, and quoted phrases that are to be found literally. */
export const parseSearch = (query: string, options: SearchOptions): Search =>
  searches.getOrAdd(`${options.language} ${options.completes} ${options.emojiOf !== undefined} ${query}`, () =>
    parse(query, options),
  );

function parse(query: string, options: SearchOptions): Search {
  // Phones put typographic quotation marks.
  const parts = query.replaceAll(/[“„”]([^“„”"]+)[“”]/g, '"$1"').match(/"[^"]+"|\S+/g) ?? [];
  const isQuoted = (part: string) => part.length > 2 && part.startsWith('"') && part.endsWith('"');
  const units = parts.flatMap((part, index) =>
    isQuoted(part) ? [] : unitsOf(part, { ...options, completes: options.completes && index === parts.length - 1 }),
  );
  const distinct = new Map(units.map((unit) => [JSON.stringify(unit), unit]));
  return {
    units: [...distinct.values()],
    phrases: parts.filter(isQuoted).map((part) => withSingleSpaces(fold(part.slice(1, -1)))),
  };
}

/** The units of a part between spaces: emoji by themselves, and what is between them. */
function unitsOf(part: string, { language, completes, emojiOf }: SearchOptions): Unit[] {
  // The index has no schemes of links that are not visible, and they say little.
  const texts = part.replace(/^(?:https?:\/\/|mailto:)(?=.)/i, "").split(emojiCluster);
  return texts.flatMap((text, index) => {
    const name = signedNameOf(text);
    if (name) return [toUnit({ atoms: [name], compounds: [] }, text, language, false)];
    const analysis = analyze(text);
    if (analysis.atoms.length === 0) return [];
    const unitOf = (written: Analysis) => toUnit(written, text, language, completes && index === texts.length - 1);
    const unit = unitOf(analysis);
    const other = analyze(otherForm(text, emojiOf));
    return [other.atoms.length === 0 ? unit : { kind: "either", units: [unit, unitOf(other)] }];
  });
}

/** Returns the characters of the Unicode emoji that has a name. */
export type EmojiNames = (name: string) => string | undefined;

/** What a part of a search stands for, too: the emoji that it names, or a number without separators; empty if there is nothing. */
function otherForm(text: string, emojiOf: EmojiNames | undefined): string {
  const name = emojiName.exec(text)?.[0].replaceAll(":", "");
  if (name !== undefined) return emojiOf?.(name) ?? "";
  return ungrouped(text) ?? "";
}

/** An emoji's name in colons, or of several words: other names are words that people mean as such. */
const emojiName = /^(?::[\w+-]+:|[a-z\d]+(?:_[a-z\d]+)+)$/;
/** Whether a search may have the name of an emoji. */
export const mayNameEmoji = (query: string): boolean => query.split(/\s+/).some((part) => emojiName.test(part));

function toUnit({ atoms }: Analysis, text: string, language: string, completes: boolean): Single | Sequence {
  const [only, second] = atoms as [Atom, ...Atom[]];
  const last = atoms.at(-1) ?? only;
  // With a comma or a full stop after it, a word is complete.
  const completesLast = completes && last.to === text.length;
  if (!second) return { kind: "single", atom: only.kind, test: toTest(only, language, completesLast) };
  const joined = joinAtoms(atoms);
  const isLong = (joined.includes(".") && last.kind === "number" ? last.term : joined).length >= minPrefix;
  return { kind: "sequence", atoms, text: joined, completes: completesLast && isLong && last.kind !== "character" };
}

function toTest({ term, variant }: Atom, language: string, completes: boolean): WordTest {
  const exact = variant === undefined ? [term] : [term, variant];
  const prefixes = completes ? exact.filter((word) => word.length >= minPrefix) : [];
  const stemming = canBeStemmed(term) ? stemmingOf(language) : undefined;
  const stem = stemming?.stem(term);
  if (!stemming || stem === undefined || stem.length < minStem) return { exact, prefixes };
  return { exact, prefixes, stem: { stem, beginnings: stemming.beginnings(stem), stemOf: stemming.stem } };
}

const canBeStemmed = (word: string) => /^[a-z]+$/.test(word) && !isStopWord(word);

/** How a word is found: whole, as it is or by its stem, or by its beginning, and how long that is. */
export function matchWord({ exact, prefixes, stem }: WordTest, word: string): "whole" | number | undefined {
  if (exact.includes(word)) return "whole";
  if (stem?.beginnings.some((beginning) => word.startsWith(beginning)))
    if (canBeStemmed(word) && stem.stemOf(word) === stem.stem) return "whole";
  return prefixes.find((prefix) => word.startsWith(prefix))?.length;
}
