import { fold } from "../../folding.ts";
import { ProcessCache } from "../../process-cache.ts";
import { type Analysis, type Atom, analyze } from "./analyze.ts";
import { stemmingOf } from "./stems.ts";
import { isStopWord } from "./stop-words.ts";

/** How the words of a text are compared with a word that is searched for. */
export interface WordTest {
  /** The word as it is, and its other folding. */
  exact: readonly string[];
  /** Words that begin with one of these are found, too. */
  prefixes: readonly string[];
  stem?: { stem: string; beginnings: readonly string[]; stemOf(word: string): string } | undefined;
}

/** Something that is to be found: a word, a number, an emoji, a character, or several of them without spaces between them. */
export type Unit = { kind: "single"; atom: Atom["kind"]; test: WordTest } | Sequence;

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
  /** Folded; found anywhere, also within words. */
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
}

const searches = new ProcessCache<string, Search>({ minRetained: 20 });

/** Parses a search: words and names that are to be found anywhere, and quoted phrases that are to be found literally. */
export const parseSearch = (query: string, { language, completes }: SearchOptions): Search =>
  searches.getOrAdd(`${language} ${completes} ${query}`, () => parse(query, language, completes));

function parse(query: string, language: string, completes: boolean): Search {
  const parts = query.match(/"[^"]+"|\S+/g) ?? [];
  const isQuoted = (part: string) => part.length > 2 && part.startsWith('"') && part.endsWith('"');
  const units = parts.flatMap((part, index) =>
    isQuoted(part) ? [] : unitsOf(part, language, completes && index === parts.length - 1),
  );
  const distinct = new Map(units.map((unit) => [JSON.stringify(unit), unit]));
  return {
    units: [...distinct.values()],
    phrases: parts.filter(isQuoted).map((part) => fold(part.slice(1, -1))),
  };
}

/** The units of a part between spaces: emoji by themselves, and what is between them. */
function unitsOf(part: string, language: string, completes: boolean): Unit[] {
  const texts = part.split(/((?=\D)\p{Extended_Pictographic}|\p{RI}\p{RI})/u);
  return texts.flatMap((text, index) => {
    const analysis = analyze(text);
    return analysis.atoms.length === 0
      ? []
      : [toUnit(analysis, text, language, completes && index === texts.length - 1)];
  });
}

function toUnit({ atoms }: Analysis, text: string, language: string, completes: boolean): Unit {
  const [only, second] = atoms as [Atom, ...Atom[]];
  const last = atoms.at(-1) ?? only;
  // With a comma or a full stop after it, a word is complete.
  const completesLast = completes && last.to === text.length;
  if (!second) return { kind: "single", atom: only.kind, test: toTest(only, language, completesLast) };
  const joined = joinAtoms(atoms);
  const isLong = (joined.includes(".") ? last.term : joined).length >= minPrefix;
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
