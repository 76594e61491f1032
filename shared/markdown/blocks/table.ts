import type { Element } from "../element.ts";
import type { BlockRule } from "./parser.ts";

const closingPipe = /(?<!\\)(?:\\\\)*\|$/;

/** Tables: a header row, a row of dashes and pipes, and rows. */
export const table: BlockRule = (parent, blocks) => {
  const [block = ""] = blocks;
  if (!block.includes("|")) return false;
  const [first = "", second, ...rows] = block.split("\n").map((row) => row.replace(/^ +| +$/g, ""));
  if (second === undefined) return false;
  const bordered = isBordered(first);
  const header = splitRow(first, bordered);
  if (header.length === 1 && !(bordered && [second, ...rows].every(isBordered))) return false;
  const rule = splitRow(second, bordered);
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
  const ticks: { start: number; end: number; size: number; escaped: boolean }[] = [];
  const pipes: number[] = [];
  for (const match of row.matchAll(/\\\\|(\\`+)|(`+)|\\\||(\|)/g)) {
    const start = match.index;
    if (match[1]) ticks.push({ start, end: start + match[1].length - 1, size: match[1].length - 1, escaped: true });
    else if (match[2]) ticks.push({ start, end: start + match[2].length - 1, size: match[2].length, escaped: false });
    else if (match[3]) pipes.push(start);
  }
  const code: [number, number][] = [];
  let codeEnd = -1;
  for (const [index, opening] of ticks.entries()) {
    if (index <= codeEnd) continue;
    const size = opening.size - (opening.escaped ? 1 : 0);
    const closing = size === 0 ? -1 : ticks.findIndex((each, at) => at > index && each.size === size);
    const last = ticks[closing];
    if (!last) continue;
    code.push([opening.start, last.end]);
    codeEnd = closing;
  }
  const cells: string[] = [];
  let from = 0;
  let region = 0;
  for (const pipe of pipes) {
    while ((code[region]?.[1] ?? pipe) < pipe) region += 1;
    if ((code[region]?.[0] ?? Number.POSITIVE_INFINITY) <= pipe) continue;
    cells.push(row.slice(from, pipe));
    from = pipe + 1;
  }
  cells.push(row.slice(from));
  return cells;
}
