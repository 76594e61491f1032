import type { Element } from "../element.ts";
import type { BlockRule } from "./parser.ts";

const closingPipe = /(?<!\\)(?:\\\\)*\|$/;

/** Tables: a header row, a row of dashes and pipes, and rows. */
export const table: BlockRule = (parent, blocks) => {
  const [block = ""] = blocks;
  if (!block.includes("|")) return false;
  const [headerRow = "", ruleRow, ...rows] = block.split("\n").map((row) => row.replace(/^ +| +$/g, ""));
  if (ruleRow === undefined) return false;
  const bordered = isBordered(headerRow);
  const header = splitRow(headerRow, bordered);
  if (header.length === 1 && !(bordered && [ruleRow, ...rows].every(isBordered))) return false;
  const rule = splitRow(ruleRow, bordered);
  if (rule.length !== header.length || !/^[|:\- ]*$/.test(rule.join(""))) return false;
  blocks.shift();
  const alignments = rule.map(alignmentOf);
  const element = parent.add("table");
  addRow(element.add("thead"), "th", header, alignments);
  const body = element.add("tbody");
  if (rows.length === 0) addRow(body, "td", [], alignments.map(noAlignment));
  for (const row of rows) addRow(body, "td", splitRow(row, bordered), alignments);
  return true;
};

function addRow(parent: Element, tag: string, cells: string[], alignments: (string | undefined)[]): void {
  const row = parent.add("tr");
  for (const [index, alignment] of alignments.entries()) {
    const text = (cells[index] ?? "").replace(/^ +| +$/g, "");
    row.add(tag, alignment ? { style: `text-align: ${alignment};` } : {}, text);
  }
}

const isBordered = (row: string): boolean => row.startsWith("|") || closingPipe.test(row);

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
  let lastUsedRun = -1;
  for (const [index, opening] of backtickRuns.entries()) {
    if (index <= lastUsedRun) continue;
    const size = opening.size - (opening.escaped ? 1 : 0);
    const closingIndex = size === 0 ? -1 : backtickRuns.findIndex((run, other) => other > index && run.size === size);
    const closing = backtickRuns[closingIndex];
    if (!closing) continue;
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
