import { atomicElement } from "../element.ts";
import type { InlineMatch, InlineRule } from "./parser.ts";

interface Run {
  start: number;
  length: number;
}

/** `` `code` ``: as many backticks close the code as opened it. Spaces at either end are kept. */
export const codeSpan: InlineRule = {
  mayOccur: (text) => text.includes("`"),
  *find(text, { state }): Iterable<InlineMatch> {
    const runs = [...text.matchAll(/`+/g)].map((match): Run => ({ start: match.index, length: match[0].length }));
    // Not a regular expression, because one with back-references takes cubic time on runs of backticks.
    const byLength = new Map<number, Run[]>();
    for (const run of runs) {
      const sameLength = byLength.get(run.length);
      if (sameLength) sameLength.push(run);
      else byLength.set(run.length, [run]);
    }
    // The runs of each length are consumed from the left: the index of the first remaining one, by length.
    const nextIndex = new Map<number, number>();
    let position = 0;
    for (const run of runs) {
      if (run.start < position) continue;
      let start = run.start;
      // Half of an even number of backslashes stay; an odd number escapes the first backtick.
      const backslashes = backslashesBefore(text, start, position);
      if (backslashes > 0 && backslashes % 2 === 0) {
        yield { start: start - backslashes, end: start, node: "\\".repeat(backslashes / 2) };
      } else if (backslashes > 0) start += 1;
      const closing = findClosing(run, run.start + run.length - start, byLength, nextIndex);
      if (!closing) continue;
      const code = text.slice(start + closing.length, closing.start);
      yield {
        start,
        end: closing.start + closing.length,
        node: atomicElement(state.budget, "code", {}, escapeCode(code)),
      };
      position = closing.start + closing.length;
    }
  },
};

function backslashesBefore(text: string, index: number, from: number): number {
  let start = index;
  while (start > from && text[start - 1] === "\\") start -= 1;
  return index - start;
}

/** The next run of the same length, or else of the next shorter length: the surplus backticks are then part of the code. */
function findClosing(
  run: Run,
  maxLength: number,
  byLength: Map<number, Run[]>,
  nextIndex: Map<number, number>,
): Run | undefined {
  const candidates = [...byLength].filter(([length]) => length <= maxLength).sort(([a], [b]) => b - a);
  for (const [length, runs] of candidates) {
    let index = nextIndex.get(length) ?? 0;
    while ((runs[index]?.start ?? Number.POSITIVE_INFINITY) <= run.start) index += 1;
    nextIndex.set(length, index);
    if (index < runs.length) return runs[index];
  }
  return undefined;
}

/** Escapes ampersands too, because entities are not decoded in code. */
function escapeCode(code: string): string {
  return code.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
