import type { Message } from "../../store/messages/messages.ts";
import { beginningWith, exactly, type WordRange } from "../../store/messages/search-segments.ts";
import { type Analysis, type Atom, analyze, cut } from "./analyze.ts";
import { joinAtoms, matchWord, type Search, type Sequence, type WordTest } from "./query.ts";
import { beginsStopWord, isStopWord } from "./stop-words.ts";
import { analyzeHtml, piecesOfHtml } from "./text.ts";

/** The terms under which a message is indexed: those of its visible text, of its topic, and of the names of linked files. */
export function indexTerms({ html, topic = "" }: Pick<Message, "html" | "topic">): string[] {
  const terms = new Set<string>();
  for (const analysis of [analyzeHtml(piecesOfHtml(html)), analyze(topic)]) addTerms(terms, analysis);
  return [...terms];
}

function addTerms(terms: Set<string>, { atoms, compounds }: Analysis): void {
  const add = (term: string | undefined) => {
    if (term !== undefined && !isStopWord(term)) terms.add(term);
  };
  for (const [index, atom] of atoms.entries()) {
    const next = atoms[index + 1];
    const pair = next && pairOf(atom, next);
    if (pair !== undefined) terms.add(pair);
    if (atom.kind !== "character") add(atom.term);
    // The pairs that begin with a character are found by it; the last character of a run begins none.
    else if (next?.kind !== "character" || pair === undefined) terms.add(atom.term);
    add(atom.variant);
  }
  for (const { term, variant } of compounds) {
    add(term);
    add(variant);
  }
}

/** Two characters of a script without spaces that follow each other, or two numbers, as in "1.2": each alone is frequent. */
function pairOf(first: Pick<Atom, "kind" | "term">, second: Pick<Atom, "kind" | "term" | "gap">): string | undefined {
  const isPairOf = (kind: Atom["kind"]) => first.kind === kind && second.kind === kind;
  if (isPairOf("character") && second.gap === "none") return `${first.term}${second.term}`;
  return isPairOf("number") && second.gap !== "space" ? `${first.term}.${second.term}` : undefined;
}

/**
 * Terms of which every message has one that matches a search: the alternatives of one of its words. Every message that matches has
 * one of each list. Without any list, the messages themselves must be scanned. Phrases have none: they may start and end within
 * words, and may match the Markdown source instead of the visible text.
 */
export const indexLookUps = ({ units }: Pick<Search, "units">): WordRange[][] =>
  units.flatMap((unit) => {
    if (unit.kind === "sequence") return lookUpsOfSequence(unit).map((range) => [range]);
    const ranges = unit.atom === "character" ? unit.test.exact.map(beginningWith) : rangesOf(unit.test);
    return ranges ? [ranges] : [];
  });

function lookUpsOfSequence({ atoms, completes }: Sequence): WordRange[] {
  const ranges: WordRange[] = [];
  for (let index = 0; index < atoms.length; index++) {
    const [previous, atom, next] = [atoms[index - 1], atoms[index] as Atom, atoms[index + 1]];
    const pair = next && pairOf(atom, next);
    if (pair !== undefined) {
      ranges.push(completes && index + 2 === atoms.length ? beginningWith(pair) : exactly(pair));
      continue;
    }
    if (atom.kind === "character") {
      if (!previous || pairOf(previous, atom) === undefined) ranges.push(beginningWith(atom.term));
      continue;
    }
    // A message may be cut elsewhere: what is connected is looked up as one word, which may be a part of another at the end.
    const start = index;
    while (isConnected(atoms[index + 1])) index++;
    const word = cut(joinAtoms(atoms.slice(start, index + 1)));
    if (index + 1 < atoms.length) {
      if (!isStopWord(word)) ranges.push(exactly(word));
    } else if (!beginsStopWord(word)) ranges.push(beginningWith(word));
  }
  return ranges;
}
const isConnected = (next: Atom | undefined) =>
  (next?.gap === "none" || next?.gap === "connector") && (next.kind === "word" || next.kind === "number");

/** The terms that pass a test. Undefined if the index may not have them. */
function rangesOf(test: WordTest): WordRange[] | undefined {
  const { exact, prefixes, stem } = test;
  if (exact.some(isStopWord) || prefixes.some(beginsStopWord)) return undefined;
  const beginnings = [...prefixes, ...(stem?.beginnings ?? [])];
  const accepts = (word: string) => matchWord(test, word) !== undefined;
  const isWithinAnother = (term: string) => beginnings.some((other) => other !== term && term.startsWith(other));
  return [
    ...[...new Set(beginnings)]
      .filter((beginning) => !isWithinAnother(beginning))
      .map((beginning): WordRange => ({ beginning, isExact: false, accepts })),
    ...exact.filter((term) => !beginnings.some((beginning) => term.startsWith(beginning))).map(exactly),
  ];
}
