import { fold, foldWithOffsets } from "../../../base/folding.ts";
import type { Message } from "../../../store/messages/messages.ts";
import { type Analysis, type Atom, analyze, type Compound } from "./analyze.ts";
import {
  joinAtoms,
  matchWord,
  type Search,
  type Sequence,
  type Unit,
  type WordTest,
  withSingleSpaces,
} from "./query.ts";
import { analyzeHtml, piecesOfHtml } from "./text.ts";

/** From the first UTF-16 unit to the one after the last. */
export interface Span {
  from: number;
  to: number;
}

/** Whether a message's visible text and topic together contain everything that is searched for. */
export function matchesSearch(message: Pick<Message, "content" | "html" | "topic">, search: Search): boolean {
  const { units, phrases } = search;
  if (units.length === 0 && phrases.length === 0) return false;
  const { html, content, topic = "" } = message;
  const pieces = piecesOfHtml(html);
  // Phrases may match the Markdown source, too; words, like those of the index, only what is visible.
  const texts = () =>
    [content, pieces.map(({ text }) => text).join(""), topic].map((text) => withSingleSpaces(fold(text)));
  if (phrases.length > 0) {
    const folded = texts();
    if (!phrases.every((phrase) => folded.some((text) => text.includes(phrase)))) return false;
  }
  if (units.length === 0) return true;
  const analyses = [analyzeHtml(pieces), analyze(topic)];
  return units.every((unit) => analyses.some((analysis) => !findUnit(unit, analysis).next().done));
}

/** Where a text matches: in order, without overlaps. */
export function findMatches(text: string, analysis: Analysis, { units, phrases }: Search): Span[] {
  const spans = units.flatMap((unit) => [...findUnit(unit, analysis)]);
  if (phrases.length > 0) {
    const { text: folded, offsets } = singleSpaced(foldWithOffsets(text));
    for (const phrase of phrases)
      for (let at = folded.indexOf(phrase); at >= 0 && phrase !== ""; at = folded.indexOf(phrase, at + phrase.length))
        spans.push({ from: offsets[at] as number, to: endOf(offsets, at + phrase.length) });
  }
  return merge(merge(spans).map((span) => wholeCharacters(text, span)));
}

/** A folded text with a space for each run of white space, and the positions of what remains. */
function singleSpaced({ text, offsets }: ReturnType<typeof foldWithOffsets>): ReturnType<typeof foldWithOffsets> {
  const isKept = (index: number) => !(/\s/.test(text.charAt(index)) && /\s/.test(text.charAt(index - 1)));
  return { text: withSingleSpaces(text), offsets: offsets.filter((_, index) => isKept(index)) };
}

/**
 * What belongs to the character before it: marks, the colour of skin, and what is joined to an emoji. At most so much, because a
 * text may have thousands of marks, and a match at each.
 */
const belongings = /(?:[\p{M}\p{Emoji_Modifier}\u0e33\u0eb3]|\u200d\p{Extended_Pictographic}){1,30}/uy;
const maxBefore = 60;
const beforeMark = /\P{M}\p{M}{0,30}$/u;
const joinedBefore = /(?:\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\ufe0f){0,2}\u200d)+$/u;

/** The span of the whole characters that people see: a mark within one would take it apart. */
function wholeCharacters(text: string, { from, to }: Span): Span {
  belongings.lastIndex = to;
  const end = isAscii(text[to]) || !belongings.test(text) ? to : belongings.lastIndex;
  if (isAscii(text[from])) return { from, to: end };
  const before = text.slice(Math.max(0, from - maxBefore), from);
  const beginning = (/^\p{M}/u.test(text.slice(from, from + 2)) ? beforeMark : joinedBefore).exec(before)?.[0] ?? "";
  return { from: from - beginning.length, to: end };
}

const isAscii = (character = "") => !/[^\0-\x7f]/.test(character);

/** The index in the source of the end of a match: a character may be folded into several. */
function endOf(offsets: readonly number[], end: number): number {
  let next = end;
  while (next < offsets.length - 1 && offsets[next] === offsets[end - 1]) next++;
  return offsets[next] as number;
}

function merge(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans.filter(({ from, to }) => from < to).sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last && span.from < last.to) last.to = Math.max(last.to, span.to);
    else merged.push({ ...span });
  }
  return merged;
}

/** The places of a unit in a text. */
function* findUnit(unit: Unit, analysis: Analysis): Generator<Span> {
  if (unit.kind === "single") yield* findWord(unit.test, analysis);
  else if (unit.kind === "sequence") yield* findSequence(unit, analysis);
  else for (const each of unit.units) yield* findUnit(each, analysis);
}

function* findWord(test: WordTest, { atoms, compounds }: Analysis): Generator<Span> {
  const found: Span[] = [];
  for (const atom of atoms) {
    const span = matchWordAt(test, atom);
    if (!span) continue;
    found.push(span);
    yield span;
  }
  for (const compound of compounds) {
    const span = isFraction(compound) ? undefined : matchWordAt(test, compound);
    // Of a compound, what matches by itself says more.
    const isWithin = ({ from, to }: Span) => compound.from <= from && to <= compound.to && from < to;
    if (span && !found.some(isWithin)) yield span;
  }
}

function matchWordAt(test: WordTest, { term, variant, from, to }: Compound): Span | undefined {
  for (const word of variant === undefined ? [term] : [term, variant]) {
    const match = matchWord(test, word);
    if (match !== undefined) return { from, to: match === "whole" ? to : endWithin({ from, to }, word, match) };
  }
  return undefined;
}

/** The end of a word's beginning: that of the word, where positions in it are not those in the text. */
const endWithin = ({ from, to }: Span, word: string, length: number) =>
  word.length === to - from ? from + length : to;

/** A number of several groups with its fraction, whose groups are a compound by themselves. */
const isFraction = ({ term }: Compound) => term.includes(".");

/** Where atoms in a row begin with an atom and end with one, or within the last one. */
function* findSequence({ text, completes }: Sequence, { atoms, compounds }: Analysis): Generator<Span> {
  for (const compound of compounds)
    if (isFraction(compound) && (compound.term === text || (completes && compound.term.startsWith(text))))
      yield { from: compound.from, to: compound.to };
  const atomsByStart = new Map<number, number>();
  const joined = joinAtoms(atoms, (start) => atomsByStart.set(start, atomsByStart.size));
  for (let at = joined.indexOf(text); at >= 0; at = joined.indexOf(text, at + 1)) {
    const first = atomsByStart.get(at);
    if (first === undefined) continue;
    const end = at + text.length;
    let start = end - 1;
    while (!atomsByStart.has(start)) start--;
    const last = atoms[atomsByStart.get(start) as number] as Atom;
    const isWhole = start + last.term.length === end;
    if (!isWhole && !completes) continue;
    yield { from: (atoms[first] as Atom).from, to: isWhole ? last.to : endWithin(last, last.term, end - start) };
  }
}
