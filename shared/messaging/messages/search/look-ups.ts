import { beginningWith, exactly, type WordRange } from "../../../store/messages/search-segments.ts";
import { type Atom, cut } from "./analyze.ts";
import { pairOf } from "./index-terms.ts";
import { joinAtoms, matchWord, type Search, type Sequence, type Unit, type WordTest } from "./query.ts";
import { beginsStopWord, isStopWord } from "./stop-words.ts";

/**
 * Terms of which every message has one that matches a search: the alternatives of one of its words. Every message that matches has
 * one of each list. Without any list, the messages themselves must be scanned. Phrases have none: they may start and end within
 * words, and may match the Markdown source instead of the visible text.
 */
export const indexLookUps = ({ units }: Pick<Search, "units">): WordRange[][] => units.flatMap(lookUpsOf);

function lookUpsOf(unit: Unit): WordRange[][] {
  if (unit.kind === "sequence") return lookUpsOfSequence(unit).map((range) => [range]);
  if (unit.kind === "either") {
    const [lists, [others]] = unit.units.map(lookUpsOf) as [WordRange[][], WordRange[][]];
    return others ? lists.map((ranges) => [...ranges, ...others]) : [];
  }
  const ranges = unit.atom === "character" ? unit.test.exact.map(beginningWith) : rangesOf(unit.test);
  return ranges ? [ranges] : [];
}

/** Very many words begin with fewer characters. */
const minLast = 3;

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
    } else if (!beginsStopWord(word) && (word.length >= minLast || ranges.length === 0))
      ranges.push(beginningWith(word));
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
