import { atomicElement } from "../element.ts";
import type { InlineMatch, InlineRule } from "./parser.ts";

interface Run {
  start: number;
  length: number;
}

/** `` `code` ``: closed by as many backticks as opened it. Spaces at either end are kept. */
export const codeSpan: InlineRule = {
  name: "code",
  mayOccur: (text) => text.includes("`"),
  *find(text): Iterable<InlineMatch> {
    const runs = [...text.matchAll(/`+/g)].map((match): Run => ({ start: match.index, length: match[0].length }));
    // Not a regular expression, because one with back-references takes cubic time on runs of backticks. The runs of each
    // length are consumed from the left.
    const byLength = new Map<number, Run[]>();
    for (const run of runs) {
      const sameLength = byLength.get(run.length);
      if (sameLength) sameLength.push(run);
      else byLength.set(run.length, [run]);
    }
    const nextIndex = new Map<number, number>();
    let position = 0;
    for (const run of runs) {
      if (run.start < position) continue;
      let start = run.start;
      const slashes = backslashesBefore(text, start, position);
      if (slashes > 0 && slashes % 2 === 0) {
        yield { start: start - slashes, end: start, node: "\\".repeat(slashes / 2) };
      } else if (slashes > 0) start += 1;
      const closing = findClosing(run, run.start + run.length - start, byLength, nextIndex);
      if (!closing) continue;
      const code = text.slice(start + closing.length, closing.start);
      yield { start, end: closing.start + closing.length, node: atomicElement("code", {}, escapeCode(code)) };
      position = closing.start + closing.length;
    }
  },
};

function backslashesBefore(text: string, index: number, from: number): number {
  let start = index;
  while (start > from && text[start - 1] === "\\") start -= 1;
  return index - start;
}

/** The next run of the same length, or else of the longest shorter length: the surplus backticks are then part of the code. */
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
