import type { RenderBudget } from "../budget.ts";
import type { Element } from "../element.ts";
import { trimmedOf } from "../source/trim.ts";
import type { BlockRule } from "./parser.ts";

const closingPipe = /(?<!\\)(?:\\\\)*\|$/;

/** Tables: a header row, a row of dashes and pipes, and rows. */
export const table: BlockRule = (parent, blocks, parser) => {
  const { budget } = parser;
  const [block = ""] = blocks;
  if (parser.isAbsent("pipe")) return false;
  if (!block.includes("|")) return parser.noteAbsent("pipe");
  if (!block.includes("\n")) return false;
  // Most blocks with a pipe are no tables. Only their first two lines are looked at, since this runs for each rest of a block.
  const [headerRow = "", ruleRow = ""] = block.split("\n", 2).map(trimmedRow);
  const bordered = isBordered(headerRow);
  if (!/^[|:\- ]*$/.test(ruleRow)) return false;
  const rule = splitRow(ruleRow, bordered);
  const header = splitRow(headerRow, bordered);
  if (rule.length !== header.length) return false;
  if (header.length === 1 && !(bordered && hasOnlyBorderedRows(block, budget))) return false;
  const rows = block.split("\n").slice(2).map(trimmedRow);
  blocks.shift();
  const alignments = rule.map(alignmentOf);
  const element = parent.add("table");
  addRow(element.add("thead"), "th", header, alignments);
  const body = element.add("tbody");
  if (rows.length === 0) addRow(body, "td", [], alignments.map(noAlignment));
  for (const row of rows) {
    budget.takeCharacters(row.length);
    addRow(body, "td", splitRow(row, bordered), alignments);
  }
  return true;
};

/** Adds a row with as many cells as the header has: empty ones are added, and further ones dropped, as in Python-Markdown. */
function addRow(parent: Element, tag: string, cells: string[], alignments: (string | undefined)[]): void {
  const row = parent.add("tr");
  for (const [index, alignment] of alignments.entries()) {
    const text = trimmedOf(cells[index] ?? "", " ");
    row.add(tag, alignment ? { style: `text-align: ${alignment};` } : {}, text);
  }
}

const trimmedRow = (row: string): string => trimmedOf(row, " ");

const isBordered = (row: string): boolean => row.startsWith("|") || closingPipe.test(row);

function hasOnlyBorderedRows(block: string, budget: RenderBudget): boolean {
  for (let start = 0; start <= block.length; ) {
    const newline = block.indexOf("\n", start);
    const end = newline === -1 ? block.length : newline;
    budget.takeCharacters(end - start);
    if (!isBordered(trimmedRow(block.slice(start, end)))) return false;
    start = end + 1;
  }
  return true;
}

const noAlignment = (): undefined => undefined;

function alignmentOf(cell: string): string | undefined {
  const text = cell.trim();
  if (text.startsWith(":")) return text.endsWith(":") ? "center" : "left";
  return text.endsWith(":") ? "right" : undefined;
}

function splitRow(row: string, bordered: boolean): string[] {
  if (!bordered) return splitAtPipes(row);
  return splitAtPipes((row.startsWith("|") ? row.slice(1) : row).replace(closingPipe, ""));
}

/** Splits at pipes, but not at `\|` or inside `code`. */
function splitAtPipes(row: string): string[] {
  const backtickRuns: { start: number; end: number; size: number; escaped: boolean }[] = [];
  const pipes: number[] = [];
  for (const match of row.matchAll(/\\\\|(\\`+)|(`+)|\\\||(\|)/g)) {
    const start = match.index;
    if (match[1])
      backtickRuns.push({ start, end: start + match[1].length - 1, size: match[1].length - 1, escaped: true });
    else if (match[2])
      backtickRuns.push({ start, end: start + match[2].length - 1, size: match[2].length, escaped: false });
    else if (match[3]) pipes.push(start);
  }
  const codeSpans: [start: number, end: number][] = [];
  /** The indexes of the runs of each size, and how many of them cannot close a later run. */
  const bySize = new Map<number, { indexes: number[]; passed: number }>();
  for (const [index, { size }] of backtickRuns.entries()) {
    const sameSize = bySize.get(size);
    if (sameSize) sameSize.indexes.push(index);
    else bySize.set(size, { indexes: [index], passed: 0 });
  }
  let lastUsedRun = -1;
  for (const [index, opening] of backtickRuns.entries()) {
    if (index <= lastUsedRun) continue;
    const size = opening.size - (opening.escaped ? 1 : 0);
    const candidates = size === 0 ? undefined : bySize.get(size);
    if (!candidates) continue;
    while ((candidates.indexes[candidates.passed] ?? index + 1) <= index) candidates.passed += 1;
    const closingIndex = candidates.indexes[candidates.passed];
    const closing = closingIndex === undefined ? undefined : backtickRuns[closingIndex];
    if (!closing || closingIndex === undefined) continue;
    codeSpans.push([opening.start, closing.end]);
    lastUsedRun = closingIndex;
  }
  const cells: string[] = [];
  let from = 0;
  let spanIndex = 0;
  for (const pipe of pipes) {
    while ((codeSpans[spanIndex]?.[1] ?? pipe) < pipe) spanIndex += 1;
    if ((codeSpans[spanIndex]?.[0] ?? Number.POSITIVE_INFINITY) <= pipe) continue;
    cells.push(row.slice(from, pipe));
    from = pipe + 1;
  }
  cells.push(row.slice(from));
  return cells;
}
